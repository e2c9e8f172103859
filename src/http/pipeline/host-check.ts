import { hostOf, isLoopbackHost } from './address.ts'

/**
 * Whether a Host header names this machine. A web page can make a browser send requests to 127.0.0.1 under the
 * page's own name (DNS rebinding); the Host header then has that name, and the request is refused.
 */
export function isLocalHostHeader(host: string | undefined): boolean {
  return host !== undefined && host !== '' && isLoopbackHost(hostOf(host))
}
