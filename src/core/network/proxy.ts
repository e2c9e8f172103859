import { hostOf, isLoopback, isWithin, parseIp, parseNetwork } from './ip.ts'

/** The proxy and its exceptions, from the environment. */
export interface ProxySettings {
  readonly kind: 'socks5' | 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Hosts that are dialled directly. */
  readonly exceptions: readonly string[]
  /** When the proxy fails, the device is not dialled directly. */
  readonly noFallback: boolean
}

const PORTS = { socks5: 1080, http: 80, https: 443 } as const
const KINDS: Readonly<Record<string, ProxySettings['kind']>> = {
  socks: 'socks5',
  socks5: 'socks5',
  socks5h: 'socks5',
  http: 'http',
  https: 'https',
}

/**
 * Reads `all_proxy`, then `https_proxy` and `http_proxy`, each also in capitals. Undefined when there is none, or when
 * it is invalid: then `problem` is called with a message without secrets.
 */
export function proxyFromEnvironment(
  environment: (name: string) => string | undefined,
  problem: (message: string) => void,
): ProxySettings | undefined {
  const either = (name: string) => environment(name) || environment(name.toUpperCase())
  for (const name of ['all_proxy', 'https_proxy', 'http_proxy']) {
    const text = either(name)
    if (text === undefined || text === '') continue
    const url = parseUrl(text)
    const scheme = url?.protocol.slice(0, -1) ?? ''
    const kind = Object.hasOwn(KINDS, scheme) ? KINDS[scheme] : undefined
    if (url === undefined || kind === undefined || url.hostname === '') {
      problem(`${name} names no proxy that can be used`)
      return undefined
    }
    return {
      kind,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? PORTS[kind] : Number(url.port),
      user: decode(url.username),
      password: decode(url.password),
      exceptions: (either('no_proxy') ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
      noFallback: (environment('ALL_PROXY_NO_FALLBACK') ?? '') !== '',
    }
  }
  return undefined
}

/** Loopback is never dialled through a proxy. */
export function isExempt(host: string, exceptions: readonly string[]): boolean {
  const ip = parseIp(host)
  if (host === 'localhost' || (ip !== undefined && isLoopback(ip))) return true
  return exceptions.some((entry) => {
    if (entry === '*') return true
    const network = parseNetwork(entry)
    if (network !== undefined) return ip !== undefined && isWithin(ip, network)
    const name = hostOf(entry)
      .toLowerCase()
      .replace(/^\*?\./, '')
    const wanted = host.toLowerCase()
    return wanted === name || wanted.endsWith(`.${name}`)
  })
}

/** A text without a scheme is the host of an HTTP proxy, as in most programs. */
function parseUrl(text: string): URL | undefined {
  const full = text.includes('://') ? text : `http://${text}`
  return URL.canParse(full) ? new URL(full) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a literal percent sign
  }
}
