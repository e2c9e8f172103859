import type { GrantStore } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import type { GuiConfig } from '../../core/config/config.ts'
import { messageOf } from '../../core/errors.ts'
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
  /** Whether the directory server of the LDAP settings accepts credentials. */
  directoryLogin(credentials: Credentials, signal: AbortSignal): Promise<boolean>
  /** Of the login page. */
  readonly sessions: TokenStore
  /** Of Basic authentication. Clients that send no cookies get one per request: they must not end other sessions. */
  readonly basicSessions: TokenStore
  /** Of users beside the owner, who must not be able to end sessions of the owner. */
  readonly userSessions: TokenStore
  readonly grants: GrantStore
  readonly proxies: TrustedProxies
}

/** Who sent a request: a grant, or the owner of the device, whose access has no limit. */
export interface Sender {
  readonly grant: Grant | undefined
}

const OWNER: Sender = { grant: undefined }

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

/** What credentials are compared with. */
interface Account extends Pick<GuiConfig, 'authMode' | 'user' | 'password'> {
  readonly grant: Grant | undefined
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

  /** The sender of a request with a session; undefined without one. */
  sessionOf(request: HttpRequest): Sender | undefined {
    const { sessions, basicSessions, userSessions, grants } = this.#deps
    const tokens = cookieValues(request, this.#cookieName)
    if (tokens.some((token) => sessions.use(token) || basicSessions.use(token))) return OWNER
    for (const token of tokens) {
      const session = userSessions.useAs(token)
      const grant = session === undefined ? undefined : grants.userOf(session.slice(session.indexOf('/') + 1))
      if (grant !== undefined && sessionName(grant) === session) return { grant }
    }
    return undefined
  }

  /**
   * A session cookie for right Basic credentials; undefined when the request has none or wrong ones. Rejects with
   * `password-unavailable` when they cannot be checked, as `login` does: that is not a failed attempt.
   */
  async basicSession(
    request: HttpRequest,
    gui: GuiConfig,
  ): Promise<(Sender & { readonly cookie: string }) | undefined> {
    const readings = basicCredentials(request)
    if (readings.length === 0) return undefined
    const sender = await this.#check(request, gui, readings)
    if (sender === undefined) return undefined
    return { ...sender, cookie: this.#cookie(request, gui, this.#newToken(sender, this.#deps.basicSessions)) }
  }

  /**
   * The sender of a request with right Basic credentials, for clients that send them each time and keep no cookie.
   * Those that were right a moment ago are not announced as another login, but wait in the same line: guessing gets no
   * faster.
   */
  async basicSender(request: HttpRequest, gui: GuiConfig): Promise<Sender | undefined> {
    const readings = basicCredentials(request)
    if (readings.length === 0) return undefined
    const known = readings.find((credentials) => this.#known.has(this.#accountOf(gui, credentials), credentials))
    if (known !== undefined) {
      const { remoteAddress } = clientOf(request, this.#deps.proxies)
      await this.#throttle.attempt(throttledSource(remoteAddress), async () => true, request.signal)
      return { grant: this.#accountOf(gui, known).grant }
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
    const sender = await this.#check(request, gui, [credentials])
    if (sender === undefined) return undefined
    const token = this.#newToken(sender, this.#deps.sessions)
    return this.#cookie(request, gui, token, stay ? cookieAgeS(gui) : undefined)
  }

  /** Ends the sessions of a request; returns a cookie that deletes the browser's, if it sent one. */
  logout(request: HttpRequest, gui: GuiConfig): string | undefined {
    const tokens = cookieValues(request, this.#cookieName)
    for (const token of tokens) {
      this.#deps.sessions.drop(token)
      this.#deps.basicSessions.drop(token)
      this.#deps.userSessions.drop(token)
    }
    return tokens.length === 0 ? undefined : this.#cookie(request, gui, '', 0)
  }

  #newToken({ grant }: Sender, ofOwner: TokenStore): string {
    return grant === undefined ? ofOwner.make() : this.#deps.userSessions.make(sessionName(grant))
  }

  async #check(request: HttpRequest, gui: GuiConfig, readings: readonly Credentials[]): Promise<Sender | undefined> {
    const { remoteAddress, proxy, isProxyUnknown } = clientOf(request, this.#deps.proxies)
    const source = throttledSource(remoteAddress)
    const likely = readings.filter(({ username, password }) => isLikely(username) && isLikely(password))
    const username = copyOf(readings[0]?.username ?? '', EVENT_NAME_MAX)
    let sender: Sender | undefined
    const attempt = async () => (sender = await this.#matches(gui, likely, request.signal)) !== undefined
    const success = await this.#throttle.attempt(source, attempt, request.signal)
    this.#deps.events.emit('LoginAttempt', {
      success,
      username,
      remoteAddress,
      ...(proxy === undefined ? {} : { proxy }),
    })
    if (!success) this.#deps.logger.warn(`Wrong credentials supplied during API authorization from ${remoteAddress}`)
    // Of a successful login only: anybody can send the header, to be recommended as a proxy.
    if (success && isProxyUnknown === true) this.#noteProxy(remoteAddress)
    return success ? sender : undefined
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
  async #matches(gui: GuiConfig, readings: readonly Credentials[], signal: AbortSignal): Promise<Sender | undefined> {
    if (gui.authMode === 'ldap') return await this.#askDirectory(gui, readings, signal)
    for (const { username, password } of readings) {
      const account = this.#accountOf(gui, { username, password })
      const good = await this.#deps.passwords.verify(password, account.password)
      if (!equalsSecret(username, Buffer.from(account.user)) || !good) continue
      this.#known.add(account, { username, password })
      return { grant: account.grant }
    }
    return undefined
  }

  /** Every user that the directory server accepts is the owner, as in Syncthing. */
  async #askDirectory(
    gui: GuiConfig,
    readings: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<Sender | undefined> {
    for (const credentials of readings) {
      const isAccepted = await this.#deps.directoryLogin(credentials, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#deps.logger.warn(messageOf(error))
        throw error
      })
      if (!isAccepted) continue
      this.#known.add(this.#accountOf(gui, credentials), credentials)
      return OWNER
    }
    return undefined
  }

  /** Of the user of that name, otherwise of the owner, who comes first. */
  #accountOf(gui: GuiConfig, { username }: Credentials): Account {
    const { authMode, user, password } = gui
    if (authMode === 'ldap') return { authMode, user, password, grant: undefined }
    const grant = equalsSecret(username, Buffer.from(user)) ? undefined : this.#deps.grants.userOf(username)
    if (grant === undefined) return { authMode, user, password, grant }
    return { authMode, user: grant.name, password: grant.secretHash, grant }
  }

  #cookie(request: HttpRequest, gui: GuiConfig, token: string, ageS?: number): string {
    const parts = [`${this.#cookieName}=${token}`, `Path=${cookiePath(gui.sessionCookiePath)}`]
    if (ageS !== undefined) parts.push(`Max-Age=${ageS}`)
    parts.push('HttpOnly', 'SameSite=Strict')
    if (isSecure(request, gui)) parts.push('Secure')
    return parts.join('; ')
  }
}

/** A user who was revoked and added again has no sessions of before. */
function sessionName({ name, createdMs }: Grant): string {
  return `${createdMs}/${name}`
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
