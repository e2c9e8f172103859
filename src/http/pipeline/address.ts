/** A parsed GUI address of the config or of `--gui-address`. */
export interface GuiAddress {
  /** `host:port` or the path of a UNIX socket, in the form of the listener. */
  readonly listen: string
  /** TLS by the scheme; undefined without a scheme, then the config decides. */
  readonly tls: boolean | undefined
  /** A loopback address: the Host header is checked against DNS rebinding. */
  readonly loopback: boolean
}

const SCHEMES: Readonly<Record<string, boolean>> = { http: false, https: true, unix: false, unixs: true }
const SCHEME = /^([a-z]+):\/\//

/** Never throws: an invalid address fails in `listen`. */
export function parseGuiAddress(text: string): GuiAddress {
  const scheme = SCHEME.exec(text)?.[1]
  const hasScheme = scheme !== undefined && Object.hasOwn(SCHEMES, scheme)
  const rest = hasScheme ? text.slice(scheme.length + 3) : text
  const isPath = rest.startsWith('/')
  const listen = isPath ? rest : rest.replace(/\/.*$/, '')
  return { listen, tls: hasScheme ? SCHEMES[scheme] : undefined, loopback: !isPath && isLoopbackHost(hostOf(listen)) }
}

/** The host of `host:port`, without brackets; the whole text when it has no port; empty when the port is invalid. */
export function hostOf(text: string): string {
  if (text.startsWith('[')) {
    const end = text.indexOf(']')
    const after = text.slice(end + 1)
    return end > 0 && (after === '' || /^:\d*$/.test(after)) ? text.slice(1, end) : ''
  }
  const colon = text.indexOf(':')
  if (colon < 0) return text
  // More than one colon without brackets is an IPv6 address without a port.
  if (text.includes(':', colon + 1)) return text
  return /^:\d*$/.test(text.slice(colon)) ? text.slice(0, colon) : ''
}

/** `localhost`, names below it, and the addresses of the machine itself. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === 'localhost.' || isLoopbackIp(name) || isBelowLocalhost(name)
}

/** `*.localhost`: reserved names that never leave the machine. */
function isBelowLocalhost(name: string): boolean {
  return name.endsWith('.localhost') && /^[a-z0-9_.-]+$/.test(name)
}

/** Only the four-part form: forms like `127.1` and `0x7f.1` are used in attacks. */
function isLoopbackIp(text: string): boolean {
  if (text.startsWith('127.')) {
    const parts = text.split('.')
    return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  }
  if (text.startsWith('::ffff:')) return isLoopbackIp(text.slice(7))
  return text === '::1' || /^(0{1,4}:){7}0{0,3}1$/.test(text)
}
