const COOKIE = 'CSRF-Token-'

/**
 * The headers that tell the daemon that a request comes from its own page. Cookies do not know ports: those of other
 * daemons on the same host are among them, under the names of those, and harm nobody.
 */
export function csrfHeaders(cookies: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const part of cookies.split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2)
    if (name.startsWith(COOKIE)) headers[`X-${name}`] = value
  }
  return headers
}
