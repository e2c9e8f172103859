/** Stands for a secret in what leaves the device. As a setting it means "as it is". */
export const REDACTED = 'REDACTED'

/** Parameters of relays and discovery servers that everybody may see. */
const PUBLIC_PARAMETERS: ReadonlySet<string> = new Set([
  'globallimitbps',
  'id',
  'insecure',
  'networktimeout',
  'noannounce',
  'nolookup',
  'pinginterval',
  'providedby',
  'sessionlimitbps',
  'statusaddr',
])
const LABEL_LENGTH_MAX = 100

/** A configured address in the same form, without user, password, fragment, and parameters that may be secret. */
export function redactAddress(text: string): string {
  const { beforeLogin, login, afterLogin, query, fragment } = partsOf(text)
  const shown = query?.split('&').map((part) => {
    if (isPublic(part)) return part
    const at = part.indexOf('=')
    return at < 0 ? REDACTED : `${part.slice(0, at)}=${REDACTED}`
  })
  return [
    beforeLogin,
    login === undefined ? '' : `${REDACTED}@`,
    afterLogin,
    shown === undefined ? '' : `?${shown.join('&')}`,
    fragment === undefined ? '' : `#${REDACTED}`,
  ].join('')
}

/** A configured address for display: also one that cannot be used, and without all its parameters. */
export function addressLabel(text: string): string {
  const { beforeLogin, afterLogin } = partsOf(text)
  return `${beforeLogin}${afterLogin}`.slice(0, LABEL_LENGTH_MAX)
}

/** What `redactAddress` leaves out, as written and decoded. */
export function secretsOfAddress(text: string): readonly string[] {
  const { login, query, fragment } = partsOf(text)
  const password = login?.slice(login.indexOf(':') + 1)
  const values = (query?.split('&') ?? []).filter((part) => !isPublic(part)).map((part) => part.replace(/^[^=]*=/, ''))
  const secrets = [login, password, fragment, ...values].filter((one) => one !== undefined)
  return secrets.flatMap((secret) => [secret, decoded(secret)])
}

interface AddressParts {
  readonly beforeLogin: string
  /** `user:password`. */
  readonly login: string | undefined
  readonly afterLogin: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

function partsOf(text: string): AddressParts {
  const [, place = '', , query, , fragment] = /^([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(text) ?? []
  const start = place.indexOf('//') + 2
  // What is no URL may have a slash in its password.
  const slash = URL.canParse(text) ? place.indexOf('/', start) : -1
  const end = place.lastIndexOf('@', slash < 0 ? undefined : slash)
  const hasLogin = start > 1 && end >= start
  return {
    beforeLogin: hasLogin ? place.slice(0, start) : '',
    login: hasLogin ? place.slice(start, end) : undefined,
    afterLogin: hasLogin ? place.slice(end + 1) : place,
    query,
    fragment,
  }
}

function isPublic(part: string): boolean {
  return part === '' || PUBLIC_PARAMETERS.has(part.replace(/=.*$/s, '').toLowerCase())
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not an encoded text
  }
}
