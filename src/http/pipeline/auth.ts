import type { GuiConfig } from '../../core/config/config.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'
import type { TrustedProxies } from '../../core/network/trusted-proxies.ts'
import { clientOf, sourceOf } from './client-address.ts'
import { cookiePath, isSecure } from './cookies.ts'
import { basicCredentials, cookieValues, CREDENTIAL_LENGTH_MAX, equalsSecret, type Credentials } from './credentials.ts'
import { KnownCredentials } from './known-credentials.ts'
import { LoginThrottle } from './login-throttle.ts'
import type { TokenStore } from './tokens.ts'
import type { DeviceWarning, Passwords } from '../types.ts'

const COOKIE_AGE_S_MAX = 2_147_483_647
const DEFAULT_SESSION_S = 7 * 24 * 3_600
/** Characters of a user name in an event: events stay in memory. */
const EVENT_NAME_MAX = 256

export interface AuthDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: EventSink
  readonly logger: Logger
  readonly passwords: Passwords
  /** Of the login page. */
  readonly sessions: TokenStore
  /** Of Basic authentication. Clients that send no cookies get one per request: they must not end other sessions. */
  readonly basicSessions: TokenStore
  readonly proxies: TrustedProxies
}

/** How long a session is valid after its last use: as long as its cookie may be. */
export function sessionLifetimeMs(gui: Pick<GuiConfig, 'sessionCookieDurationS'>): number {
  return (cookieAgeS(gui) ?? DEFAULT_SESSION_S) * 1_000
}

/** The configured duration. Negative: forever. Zero: as long as the browser runs, hence no duration. */
function cookieAgeS({
  sessionCookieDurationS: seconds,
}: Pick<GuiConfig, 'sessionCookieDurationS'>): number | undefined {
  if (seconds === 0) return undefined
  return seconds < 0 ? COOKIE_AGE_S_MAX : Math.min(seconds, COOKIE_AGE_S_MAX)
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
  readonly #known: KnownCredentials
  #unknownProxy: DeviceWarning | undefined

  constructor(deps: AuthDeps, shortId: string) {
    this.#deps = deps
    this.#cookieName = `sessionid-${shortId}`
    this.#throttle = new LoginThrottle(deps.clock, deps.random)
    this.#known = new KnownCredentials(deps.clock, deps.random)
  }

  get warnings(): readonly DeviceWarning[] {
    return this.#unknownProxy === undefined ? [] : [this.#unknownProxy]
  }

  hasSession(request: HttpRequest): boolean {
    const { sessions, basicSessions } = this.#deps
    return cookieValues(request, this.#cookieName).some((token) => sessions.use(token) || basicSessions.use(token))
  }

  /**
   * A session cookie for right Basic credentials; undefined when the request has none or wrong ones. Rejects with
   * `password-unavailable` when they cannot be checked, as `login` does: that is not a failed attempt.
   */
  async basicSession(request: HttpRequest, gui: GuiConfig): Promise<string | undefined> {
    const readings = basicCredentials(request)
    if (readings.length === 0) return undefined
    if (!(await this.#check(request, gui, readings))) return undefined
    return this.#cookie(request, gui, this.#deps.basicSessions.make())
  }

  /**
   * Whether a request has right Basic credentials, for clients that send them each time and keep no cookie. Those that
   * were right a moment ago are not announced as another login, but wait in the same line: guessing gets no faster.
   */
  async allowsBasic(request: HttpRequest, gui: GuiConfig): Promise<boolean> {
    const readings = basicCredentials(request)
    if (readings.length === 0) return false
    const known = readings.find((credentials) => this.#known.has(gui, credentials))
    if (known !== undefined) {
      const { remoteAddress } = clientOf(request, this.#deps.proxies)
      return await this.#throttle.attempt(throttledSource(remoteAddress), async () => true, request.signal)
    }
    return await this.#check(request, gui, readings)
  }

  /** A session cookie for right credentials of the login page; undefined for wrong ones. */
  async login(
    request: HttpRequest,
    gui: GuiConfig,
    credentials: Credentials,
    stay: boolean,
  ): Promise<string | undefined> {
    if (!(await this.#check(request, gui, [credentials]))) return undefined
    return this.#cookie(request, gui, this.#deps.sessions.make(), stay ? cookieAgeS(gui) : undefined)
  }

  /** Ends the sessions of a request; returns a cookie that deletes the browser's, if it sent one. */
  logout(request: HttpRequest, gui: GuiConfig): string | undefined {
    const tokens = cookieValues(request, this.#cookieName)
    for (const token of tokens) {
      this.#deps.sessions.drop(token)
      this.#deps.basicSessions.drop(token)
    }
    return tokens.length === 0 ? undefined : this.#cookie(request, gui, '', 0)
  }

  async #check(request: HttpRequest, gui: GuiConfig, readings: readonly Credentials[]): Promise<boolean> {
    const { remoteAddress, proxy, isProxyUnknown } = clientOf(request, this.#deps.proxies)
    const source = throttledSource(remoteAddress)
    const likely = readings.filter(({ username, password }) => isLikely(username) && isLikely(password))
    const username = copyOf(readings[0]?.username ?? '', EVENT_NAME_MAX)
    const success = await this.#throttle.attempt(source, () => this.#matches(gui, likely), request.signal)
    this.#deps.events.emit('LoginAttempt', {
      success,
      username,
      remoteAddress,
      ...(proxy === undefined ? {} : { proxy }),
    })
    if (!success) this.#deps.logger.warn(`Wrong credentials supplied during API authorization from ${remoteAddress}`)
    // Of a successful login only: anybody can send the header, to be recommended as a proxy.
    if (success && isProxyUnknown === true) this.#noteProxy(remoteAddress)
    return success
  }

  /** Logged once. */
  #noteProxy(address: string): void {
    if (this.#unknownProxy !== undefined) return
    const proxy = address === '' ? 'on the UNIX socket' : `at ${address}`
    this.#unknownProxy = {
      code: 'proxy-not-trusted',
      message: `logins through the proxy ${proxy} count as those of one client: its X-Forwarded-For is not believed`,
      remedy: `if the proxy is yours and sets that header itself, start with --trusted-proxies=${address || 'unix'}`,
    }
    this.#deps.logger.warn(`${this.#unknownProxy.message}; ${this.#unknownProxy.remedy}`)
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
      if (!equalsSecret(username, user) || !good) continue
      this.#known.add(gui, { username, password })
      return true
    }
    return false
  }

  #cookie(request: HttpRequest, gui: GuiConfig, token: string, ageS?: number): string {
    const parts = [`${this.#cookieName}=${token}`, `Path=${cookiePath(gui.sessionCookiePath)}`]
    if (ageS !== undefined) parts.push(`Max-Age=${ageS}`)
    parts.push('HttpOnly', 'SameSite=Strict')
    if (isSecure(request, gui)) parts.push('Secure')
    return parts.join('; ')
  }
}

function throttledSource(remoteAddress: string): string {
  return remoteAddress === '' ? 'unix' : sourceOf(remoteAddress)
}

function isLikely(text: string): boolean {
  return text.length <= CREDENTIAL_LENGTH_MAX
}

/** The first characters. A copy: a part of a string would keep the whole of it in memory. */
function copyOf(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}
