import { TwinfoldError } from '../core/errors.ts'

/** The address of a daemon. */
export interface Endpoint {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** Instead of host and port. */
  readonly socketPath?: string
}

/**
 * Reads an address as the configuration and `--gui-address` write it: `host:port`, `http(s)://host:port`, an absolute
 * path, `unix://path`, `unixs://path`. An unspecified address becomes the loopback address.
 */
export function parseEndpoint(text: string, options: { readonly useTls: boolean }): Endpoint {
  const [, scheme, rest] = /^(?:(https?|unixs?):\/\/)?(.*)$/s.exec(text.trim()) ?? []
  const secure = scheme === undefined ? options.useTls : scheme === 'https' || scheme === 'unixs'
  if (scheme?.startsWith('unix') || rest?.startsWith('/')) {
    return { secure, host: 'localhost', port: 0, socketPath: rest ?? '' }
  }
  const [, host, port] = /^(\[[0-9A-Fa-f:.%\w]*\]|[^:/[\]]*):(\d{1,5})\/?$/.exec(rest ?? '') ?? []
  const portNumber = Number(port)
  if (host === undefined || !(portNumber >= 1 && portNumber <= 65_535)) {
    throw new TwinfoldError(
      'usage',
      `"${text}" is not an address of a daemon; use host:port, https://host:port or unix:///path`,
    )
  }
  return { secure, host: reachableHost(host.replace(/^\[|\]$/g, '')), port: portNumber }
}

function reachableHost(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

/** The form used in messages. */
export function endpointText(endpoint: Endpoint): string {
  if (endpoint.socketPath !== undefined) return `${endpoint.secure ? 'unixs' : 'unix'}://${endpoint.socketPath}`
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  return `${endpoint.secure ? 'https' : 'http'}://${host}:${endpoint.port}`
}
