import { hostOf, isLoopbackHost } from './address.ts'

/**
 * Whether a Host header names this machine. A page on the web can make a browser ask 127.0.0.1 under the page's own
 * name (DNS rebinding); the browser then sends that name, and we refuse it.
 */
export function isLocalHostHeader(host: string | undefined): boolean {
  return host !== undefined && host !== '' && isLoopbackHost(hostOf(host))
}
