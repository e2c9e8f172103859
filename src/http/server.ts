import type { Config, GuiConfig } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import { NO_PROXIES } from '../core/network/trusted-proxies.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { HttpHandler, HttpListener, HttpReply, HttpRequest } from '../platform/http.ts'
import { randomText } from '../platform/random.ts'
import { LIVENESS_PATHS } from '../rest/liveness.ts'
import type { RouteContext } from './all-routes.ts'
import { parseGuiAddress } from './pipeline/address.ts'
import { Auth, sessionLifetimeMs, type AuthDeps } from './pipeline/auth.ts'
import { CsrfTokens } from './pipeline/csrf.ts'
import { RequestMeter } from './pipeline/meter.ts'
import { makeGate, Pipeline, type Gate, type Served } from './pipeline/pipeline.ts'
import { RouteTable } from './pipeline/route.ts'
import { UndoLog } from './pipeline/undo-log.ts'
import { TokenStore } from './pipeline/tokens.ts'
import { livenessRoutes } from './routes/liveness.ts'
import type { AllServed } from './served.ts'
import { NOT_FOUND } from './pipeline/reply.ts'
import type { RestDeps, RestOptions } from './types.ts'
import { TaskSet } from '../sync/task-set.ts'

const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 30_000
/** Names a process among those before it. */
const RUN_LENGTH = 8

const NO_DRIVE: Served['drive'] = {
  path: '',
  isOn: false,
  errors: {},
  owns: () => false,
  options: () => undefined,
  handle: async () => NOT_FOUND,
}

/** The GUI and REST interface of the device: listens on the configured address and applies changes of it. */
export class RestServer {
  readonly name = 'http'
  /** Resolves with the first successful listen. */
  readonly ready: Promise<void>
  /** Resolves with the first attempt to listen, also a failed one, and where no address is configured. */
  readonly attempted: Promise<void>
  readonly handler: HttpHandler
  readonly #deps: RestDeps
  readonly #options: RestOptions
  readonly #csrf: CsrfTokens
  readonly #sessions: TokenStore
  readonly #basicSessions: TokenStore
  readonly #userSessions: TokenStore
  readonly #changed = new Wakeup()
  readonly #markReady: () => void
  readonly #markAttempted: () => void
  readonly #closing = new TaskSet()
  readonly #pipeline: Pipeline
  readonly #context: RouteContext
  #gate: Gate
  #served: AllServed | undefined
  #loading: Promise<AllServed> | undefined
  #open: Listening | undefined

  constructor(given: RestDeps, options: RestOptions) {
    const warnings = async () => [...((await given.warnings?.()) ?? []), ...auth.warnings]
    const deps: RestDeps = { ...given, warnings }
    this.#deps = deps
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    this.#markReady = resolve
    const attempt = Promise.withResolvers<void>()
    this.attempted = attempt.promise
    this.#markAttempted = attempt.resolve
    this.#csrf = new CsrfTokens(deps)
    const lifetimeMs = () => sessionLifetimeMs(deps.config.current.gui)
    this.#sessions = new TokenStore(deps, { key: 'http/sessions', lifetimeMs })
    this.#basicSessions = new TokenStore(deps, { key: 'http/basic-sessions', lifetimeMs })
    this.#userSessions = new TokenStore(deps, { key: 'http/user-sessions', lifetimeMs })
    this.#gate = this.#makeGate(deps.config.current.gui)
    deps.config.subscribe((from, to) => this.#apply(from, to))

    const shortId = options.deviceId.slice(0, 7)
    const stores = { sessions: this.#sessions, basicSessions: this.#basicSessions, userSessions: this.#userSessions }
    const directoryLogin: AuthDeps['directoryLogin'] = async (credentials, signal) => {
      const { loginAtDirectory } = await import('./pipeline/ldap-login.ts')
      return loginAtDirectory(
        { clock: deps.clock, dial: deps.dialDirectory },
        deps.config.current.ldap,
        credentials,
        signal,
      )
    }
    const proxies = options.trustedProxies ?? NO_PROXIES
    const auth = new Auth({ ...deps, ...stores, directoryLogin, proxies }, shortId)
    const facts = { version: options.version.version, deviceId: options.deviceId, shortId }
    const meter = new RequestMeter(deps.clock)
    const started = { startedMs: deps.clock.nowMs(), startedMonotonicMs: deps.clock.monotonicMs() }
    const run = randomText(deps.random, RUN_LENGTH)
    const undo = new UndoLog(deps)
    this.#context = { options, auth, facts, started, run, meter, undo, address: () => this.address ?? '' }
    const liveness: Served = { routes: new RouteTable(livenessRoutes()), drive: NO_DRIVE }
    this.#pipeline = new Pipeline(
      {
        ...deps,
        auth,
        csrf: this.#csrf,
        served: (grant) => this.#served?.for(grant) ?? liveness,
        meter,
        gate: () => this.#gate,
      },
      facts,
    )
    this.handler = (request) =>
      this.#served !== undefined || LIVENESS_PATHS.has(request.target)
        ? this.#pipeline.handle(request)
        : this.#handleFirst(request)
  }

  /** Everything but the liveness routes is loaded with the first request for it: an idle device needs none of it. */
  load(): Promise<AllServed> {
    this.#loading ??= import('./served.ts').then(
      ({ AllServed: Everything }) => (this.#served = new Everything(this.#deps, this.#options, this.#context)),
    )
    return this.#loading
  }

  async #handleFirst(request: HttpRequest): Promise<HttpReply> {
    await this.load()
    return await this.#pipeline.handle(request)
  }

  /** The current address: `host:port` or the path of a socket; undefined while not listening. */
  get address(): string | undefined {
    return this.#open?.listener.address
  }

  async run(signal: AbortSignal): Promise<void> {
    const stores = [this.#sessions, this.#basicSessions, this.#userSessions]
    try {
      await this.#csrf.load()
      for (const store of stores) await store.load()
    } catch (error) {
      this.#markAttempted()
      throw error
    }
    const saving = stores.map((store) => store.run(signal))
    try {
      while (!signal.aborted) {
        await this.#applyListener(signal)
        await this.#changed.wait(signal).catch(() => {}) // an abort ends the loop
      }
    } finally {
      this.#close()
      await Promise.all([this.#closing.ended(), ...saving])
    }
  }

  /**
   * Only signals: the request that made the change waits for this call, and closing a listener waits for its requests.
   * A changed password ends all sessions.
   */
  #apply(from: Config, to: Config): void {
    const credentials = ({ gui, ldap }: Config) =>
      JSON.stringify([gui.authMode, gui.user, gui.password, gui.authMode === 'ldap' && ldap])
    if (credentials(from) !== credentials(to)) {
      this.#sessions.dropAll()
      this.#basicSessions.dropAll()
    }
    this.#gate = this.#makeGate(to.gui)
    this.#changed.ring()
  }

  #makeGate(gui: GuiConfig): Gate {
    const { loopback } = parseGuiAddress(this.#options.guiAddress ?? gui.address)
    return makeGate(gui, { loopback, tls: this.#open?.tls ?? false }, this.#options.guiApiKey)
  }

  /** Applies the configured listener. Retries with exponential backoff while the address is in use. */
  async #applyListener(signal: AbortSignal): Promise<void> {
    for (let delayMs = RETRY_MS_MIN; !signal.aborted; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      const wanted = wantedListener(this.#deps.config.current.gui, this.#options.guiAddress)
      if (wanted?.key === this.#open?.key) return this.#markAttempted()
      this.#close()
      if (wanted === undefined) return this.#markAttempted()
      try {
        await this.#listen(wanted)
        return this.#markAttempted()
      } catch (error) {
        this.#markAttempted()
        this.#deps.logger.error(
          `GUI/API: cannot listen on ${wanted.listen}: ${messageOf(error)} (retrying in ${delayMs / 1_000} s)`,
        )
        await this.#pause(delayMs, signal)
      }
    }
  }

  /** Resolves after the delay, on a change of the config or on abort. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([this.#deps.clock.sleep(delayMs, either), this.#changed.wait(either)]).catch(() => {})
    over.abort() // ends the wait that lost the race
  }

  async #listen(wanted: Wanted): Promise<void> {
    const { http, logger } = this.#deps
    const tls = wanted.tls ? { tls: await this.#deps.httpsIdentity() } : {}
    const mode = wanted.unixSocketMode === undefined ? {} : { unixSocketMode: wanted.unixSocketMode }
    const listener = await http.listen({ address: wanted.listen, ...mode, ...tls }, this.handler)
    this.#open = { key: wanted.key, tls: wanted.tls, listener }
    this.#gate = this.#makeGate(this.#deps.config.current.gui)
    logger.info(`GUI and API listening on ${urlOf(listener.address, wanted.tls)}`)
    await this.#deps.onListening?.(addressOf(listener.address, wanted.tls))
    this.#markReady()
  }

  /** Frees the port at once; requests in progress are completed in the background. */
  #close(): void {
    if (this.#open === undefined) return
    this.#closing.add(this.#dispose(this.#open.listener))
    this.#open = undefined
  }

  async #dispose(listener: HttpListener): Promise<void> {
    try {
      await listener[Symbol.asyncDispose]()
    } catch (error) {
      this.#deps.logger.warn(`The old GUI address did not close cleanly: ${messageOf(error)}`)
    }
  }
}

interface Wanted {
  /** The socket is kept while the key is the same. */
  readonly key: string
  readonly listen: string
  readonly tls: boolean
  readonly unixSocketMode: number | undefined
}

interface Listening {
  readonly key: string
  readonly tls: boolean
  readonly listener: HttpListener
}

function wantedListener(gui: GuiConfig, override: string | undefined): Wanted | undefined {
  if (!gui.enabled && override === undefined) return undefined
  const address = parseGuiAddress(override ?? gui.address)
  const tls = address.tls ?? gui.useTLS
  const mode = Number.parseInt(gui.unixSocketPermissions, 8)
  const unixSocketMode = Number.isInteger(mode) && mode > 0 && mode <= 0o777 ? mode : undefined
  return { key: JSON.stringify([address.listen, tls, unixSocketMode]), listen: address.listen, tls, unixSocketMode }
}

/** The URL for a browser, or the path of a socket. */
function urlOf(address: string, tls: boolean): string {
  return address.startsWith('/') ? address : `${tls ? 'https' : 'http'}://${address}/`
}

/** The form of `--gui-address`. */
function addressOf(address: string, tls: boolean): string {
  const scheme = address.startsWith('/') ? 'unix' : 'http'
  return `${scheme}${tls ? 's' : ''}://${address}`
}
