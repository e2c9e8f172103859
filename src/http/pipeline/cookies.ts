import type { GuiConfig } from '../../core/config/config.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { headerOf } from './credentials.ts'

/** A configured path must not inject cookie attributes. */
export function cookiePath(path: string): string {
  return /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path) ? path : '/'
}

/** Whether the browser uses TLS, to this device or to a proxy: then its cookies must never be sent without. */
export function isSecure(request: HttpRequest, gui: Pick<GuiConfig, 'useTLS'>): boolean {
  if (request.secure || gui.useTLS || headerOf(request, 'x-forwarded-proto')?.toLowerCase() === 'https') return true
  return /(^|[;,\s])proto="?https"?($|[;,\s])/i.test(headerOf(request, 'forwarded') ?? '')
}

/** A cookie that scripts of the own page may read. Not `Strict`: a link from elsewhere would issue another one. */
export function pageCookie(request: HttpRequest, gui: GuiConfig, name: string, value: string): string {
  return `${name}=${value}; Path=/; SameSite=Lax${isSecure(request, gui) ? '; Secure' : ''}`
}
