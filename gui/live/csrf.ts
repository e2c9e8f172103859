const COOKIE = 'CSRF-Token-'

/**
 * The headers that prove that a request comes from this page. Cookies are not bound to ports: those of other
 * daemons on the same host are among them, under their own names, and are ignored.
 */
export function csrfHeaders(cookies: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const part of cookies.split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2)
    if (name.startsWith(COOKIE)) headers[`X-${name}`] = value
  }
  return headers
}
