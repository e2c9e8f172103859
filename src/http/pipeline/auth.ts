import type { GuiConfig } from '../../core/config/config.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'
import { basicCredentials, cookieValues, equalsSecret, headerOf, type Credentials } from './credentials.ts'
import { LoginThrottle } from './login-throttle.ts'
import type { TokenStore } from './tokens.ts'
import type { Passwords } from '../types.ts'

const COOKIE_AGE_S_MAX = 2_147_483_647

export interface AuthDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: EventSink
  readonly logger: Logger
  readonly passwords: Passwords
  readonly sessions: TokenStore
}

/** Whether authentication is required: a user and a password are set, or LDAP is configured. */
export function isAuthOn(gui: GuiConfig): boolean {
  return gui.authMode === 'ldap' || (gui.user !== '' && gui.password !== '')
}

/** Login, logout and sessions. */
export class Auth {
  readonly #deps: AuthDeps
  readonly #cookieName: string
  readonly #throttle: LoginThrottle

  constructor(deps: AuthDeps, shortId: string) {
    this.#deps = deps
    this.#cookieName = `sessionid-${shortId}`
    this.#throttle = new LoginThrottle(deps.clock, deps.random)
  }

  hasSession(request: HttpRequest): boolean {
    return cookieValues(request, this.#cookieName).some((token) => this.#deps.sessions.use(token))
  }

  /**
   * A session cookie for right Basic credentials; undefined when the request has none or wrong ones. Rejects with
   * `password-unavailable` when they cannot be checked, as `login` does: that is not a failed attempt.
   */
  async basicSession(request: HttpRequest, gui: GuiConfig): Promise<string | undefined> {
    const readings = basicCredentials(request)
    if (readings.length === 0) return undefined
    return (await this.#check(request, gui, readings)) ? this.#newCookie(request, gui, false) : undefined
  }

  /** A session cookie for right credentials of the login page; undefined for wrong ones. */
  async login(
    request: HttpRequest,
    gui: GuiConfig,
    credentials: Credentials,
    stay: boolean,
  ): Promise<string | undefined> {
    return (await this.#check(request, gui, [credentials])) ? this.#newCookie(request, gui, stay) : undefined
  }

  /** Ends the sessions of a request; returns a cookie that deletes the browser's, if it sent one. */
  logout(request: HttpRequest): string | undefined {
    const tokens = cookieValues(request, this.#cookieName)
    for (const token of tokens) this.#deps.sessions.drop(token)
    return tokens.length === 0 ? undefined : `${this.#cookieName}=; Max-Age=0`
  }

  async #check(request: HttpRequest, gui: GuiConfig, readings: readonly Credentials[]): Promise<boolean> {
    const source = request.unixSocket ? 'unix' : request.remoteAddress
    const success = await this.#throttle.attempt(source, () => this.#matches(gui, readings), request.signal)
    const { remoteAddress, proxy } = clientOf(request)
    this.#deps.events.emit('LoginAttempt', {
      success,
      username: readings[0]?.username ?? '',
      remoteAddress,
      ...(proxy === undefined ? {} : { proxy }),
    })
    if (!success) this.#deps.logger.warn(`Wrong credentials supplied during API authorization from ${remoteAddress}`)
    return success
  }

  /** The password is checked for a wrong user too: the duration must not reveal which of the two was wrong. */
  async #matches(gui: GuiConfig, readings: readonly Credentials[]): Promise<boolean> {
    if (gui.authMode === 'ldap') {
      this.#deps.logger.warn(
        'A login was refused: authentication by LDAP is configured, which this version does not support',
      )
      return false
    }
    const user = Buffer.from(gui.user)
    for (const { username, password } of readings) {
      const good = await this.#deps.passwords.verify(password, gui.password)
      if (equalsSecret(username, user) && good) return true
    }
    return false
  }

  #newCookie(request: HttpRequest, gui: GuiConfig, stay: boolean): string {
    const parts = [`${this.#cookieName}=${this.#deps.sessions.make()}`, `Path=${cookiePath(gui.sessionCookiePath)}`]
    if (stay) parts.push(`Max-Age=${gui.sessionCookieDurationS < 0 ? COOKIE_AGE_S_MAX : gui.sessionCookieDurationS}`)
    parts.push('HttpOnly', 'SameSite=Strict')
    if (cameOverTls(request, gui)) parts.push('Secure')
    return parts.join('; ')
  }
}

/** A configured path must not inject cookie attributes. */
function cookiePath(path: string): string {
  return /^\/[\x21-\x3a\x3c-\x7e]*$/.test(path) ? path : '/'
}

function cameOverTls(request: HttpRequest, gui: GuiConfig): boolean {
  if (request.secure || gui.useTLS || headerOf(request, 'x-forwarded-proto')?.toLowerCase() === 'https') return true
  return /(^|[;,\s])proto="?https"?($|[;,\s])/i.test(headerOf(request, 'forwarded') ?? '')
}

/** The address of the client for the log and the event. `X-Forwarded-For` is trusted only from a local proxy. */
function clientOf(request: HttpRequest): { readonly remoteAddress: string; readonly proxy?: string } {
  const peer = request.remoteAddress
  const forwarded = headerOf(request, 'x-forwarded-for')?.split(',')[0]?.trim()
  if (forwarded === undefined || !/^[0-9A-Fa-f.:]{2,45}$/.test(forwarded)) return { remoteAddress: peer }
  return request.unixSocket || isLocal(peer) ? { remoteAddress: forwarded, proxy: peer } : { remoteAddress: peer }
}

/** Loopback, private and link-local addresses. */
function isLocal(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe[89ab])/i.test(plain)
}
