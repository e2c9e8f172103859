import { TwinfoldError } from '../core/errors.ts'

/** Where a daemon answers. */
export interface Endpoint {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** Instead of host and port. */
  readonly socketPath?: string
}

/**
 * Reads an address as the configuration and `--gui-address` write it: `host:port`, `http(s)://host:port`, an absolute
 * path, `unix://path`, `unixs://path`. A daemon that listens on every address is asked on the loopback one.
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
      `"${text}" is no address of a daemon; write host:port, https://host:port or unix:///path`,
    )
  }
  return { secure, host: reachableHost(host.replace(/^\[|\]$/g, '')), port: portNumber }
}

function reachableHost(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

/** For messages to people. */
export function endpointText(endpoint: Endpoint): string {
  if (endpoint.socketPath !== undefined) return `${endpoint.secure ? 'unixs' : 'unix'}://${endpoint.socketPath}`
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  return `${endpoint.secure ? 'https' : 'http'}://${host}:${endpoint.port}`
}
