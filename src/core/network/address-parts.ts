/** An address in parts, with the names that clients of Syncthing read in events. */
export interface AddressParts {
  readonly Scheme: string
  readonly Opaque: string
  /** Always null: a login is no matter of events. */
  readonly User: null
  readonly Host: string
  readonly Path: string
  readonly Fragment: string
  readonly RawQuery: string
  /** The path as written, where encoding the path again would not give it. */
  readonly RawPath: string
  readonly RawFragment: string
  readonly ForceQuery: boolean
  readonly OmitHost: boolean
}

/** Any text: what is no address is in `Path`, or in `Opaque` after a scheme. */
export function addressParts(text: string): AddressParts {
  const [, start = '', question, fragment = ''] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(text) ?? []
  const [, scheme = '', rest = start] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(start) ?? []
  const [, host, path = rest] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? []
  const isOpaque = scheme !== '' && host === undefined && !rest.startsWith('/')
  return {
    Scheme: scheme.toLowerCase(),
    Opaque: isOpaque ? rest : '',
    User: null,
    Host: host?.slice(host.lastIndexOf('@') + 1) ?? '',
    ...(isOpaque ? { Path: '', RawPath: '' } : { Path: decoded(path), RawPath: rawOf(path) }),
    Fragment: decoded(fragment),
    RawQuery: question?.slice(1) ?? '',
    RawFragment: rawOf(fragment),
    ForceQuery: question === '?',
    OmitHost: false,
  }
}

function rawOf(text: string): string {
  return encodeURI(decoded(text)) === text ? '' : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // no encoded text
  }
}
