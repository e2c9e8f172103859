import type { GuiConfig } from '../../core/config/config.ts'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../events/types.ts'
import type { RouteErrors } from '../../rest/declaration.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpReply, HttpRequest } from '../../platform/http.ts'
import { isAuthOn, type Auth } from './auth.ts'
import { cookieValues, hasApiKey, hasKeyAsPassword, headerOf } from './credentials.ts'
import { errorReply } from './errors.ts'
import { isLocalHostHeader } from './host-check.ts'
import { encodePath, normalisePath, splitTarget } from './paths.ts'
import { parseQuery, type Query } from './query.ts'
import { NOT_FOUND, redirectTo, text, type Reply } from './reply.ts'
import type { RequestMeter } from './meter.ts'
import type { Route, RouteTable } from './route.ts'
import { pageCookie } from './cookies.ts'
import type { CsrfTokens } from './csrf.ts'

/** The GUI settings in the form that requests need, computed once per change of the config. */
export interface Gate {
  readonly gui: GuiConfig
  readonly authOn: boolean
  readonly apiKeys: readonly Uint8Array[]
  readonly checkHost: boolean
  /** Whether the listener uses TLS: then plain requests are redirected. */
  readonly tls: boolean
}

export function makeGate(
  gui: GuiConfig,
  listener: { readonly loopback: boolean; readonly tls: boolean },
  extraKey: string | undefined,
): Gate {
  const keys = [gui.apiKey, extraKey ?? ''].filter((key) => key !== '')
  return {
    gui,
    authOn: isAuthOn(gui),
    apiKeys: keys.map((key) => Buffer.from(key)),
    checkHost: listener.loopback && !gui.insecureSkipHostcheck,
    tls: listener.tls,
  }
}

/** All paths below one, with any method: for what has no table of routes. */
export interface PathTree {
  /** Its own path, under which its requests are counted. */
  readonly path: string
  /** While it is off it only says so. */
  readonly isOn: boolean
  /** Statuses and texts of errors where they differ from the default. */
  readonly errors: RouteErrors
  /** Whether a decoded and cleaned path belongs to it. */
  owns(path: string): boolean
  /** The reply to an OPTIONS request that is none of CORS; undefined for other paths. */
  options(rawPath: string): Reply | undefined
  handle(request: HttpRequest, rawPath: string): Promise<Reply>
}

export interface PipelineDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly auth: Auth
  readonly csrf: CsrfTokens
  readonly routes: RouteTable
  /** Programs read it with Basic authentication and without cookies. */
  readonly drive: PathTree
  readonly meter: RequestMeter
  readonly gate: () => Gate
}

export interface PipelineOptions {
  readonly version: string
  readonly deviceId: string
  readonly shortId: string
}

type Headers = Record<string, string | readonly string[]>

const NO_AUTH_PATHS: ReadonlySet<string> = new Set(['/', '/index.html', '/modal.html', '/rest/svc/lang'])
const NO_AUTH_PREFIXES = ['/assets/', '/syncthing/', '/vendor/', '/theme-assets/', '/rest/noauth']
/** The page shows contents in elements that send no headers. */
const CONTENT_PATH = '/rest/twinfold/content'
const NO_CACHE = 'max-age=0, no-cache, no-store'

const NO_SNIFF = { 'X-Content-Type-Options': 'nosniff' }
/** The resource policy forbids pages of other sites to load scripts and images from here. */
const COMMON_HEADERS: Headers = {
  'X-XSS-Protection': '1; mode=block',
  ...NO_SNIFF,
  'Cross-Origin-Resource-Policy': 'same-origin',
}
const HOST_ERROR: HttpReply = {
  status: 403,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...NO_SNIFF },
  body: 'Host check error\n',
}
const PREFLIGHT: HttpReply = {
  status: 204,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': 'Content-Type, X-API-Key',
    'Access-Control-Max-Age': '600',
  },
}

/**
 * The steps of every request, in this order: host check, CORS, redirect to TLS, authentication, CSRF, routing.
 * Authentication and routing decide on the same cleaned path. Synchronous handlers are run without a promise.
 */
export class Pipeline {
  readonly #deps: PipelineDeps
  readonly #options: PipelineOptions
  readonly #csrfCookie: string
  readonly #csrfHeader: string
  #localHost: string | undefined
  #second = { atS: -1, text: '' }

  constructor(deps: PipelineDeps, options: PipelineOptions) {
    this.#deps = deps
    this.#options = options
    this.#csrfCookie = `CSRF-Token-${options.shortId}`
    this.#csrfHeader = `x-csrf-token-${options.shortId.toLowerCase()}`
  }

  handle(request: HttpRequest): HttpReply | Promise<HttpReply> {
    const gate = this.#deps.gate()
    const target = splitTarget(request.target)
    const host = target.host ?? headerOf(request, 'host')
    if (gate.checkHost && !request.unixSocket && !this.#isLocal(host)) return HOST_ERROR
    if (request.method === 'OPTIONS') return this.#replyToOptions(request, target.rawPath)

    const headers: Headers = { ...COMMON_HEADERS }
    if (!gate.gui.insecureAllowFrameLoading) headers['X-Frame-Options'] = 'SAMEORIGIN'
    if (gate.tls && !request.secure) return finish(headers, toHttps(host, request.target, target.host !== undefined))

    const cleaned = this.#deps.routes.isExact(target.rawPath)
      ? { path: target.rawPath, redirect: false }
      : normalisePath(target.rawPath)
    if (cleaned === undefined) return finish(headers, text(400, 'Bad Request'))
    const context: RequestContext = { request, gate, headers, rawPath: target.rawPath, query: target.query, ...cleaned }
    const hasKey = hasApiKey(request, gate.apiKeys)
    if (!gate.authOn || hasKey || this.#deps.auth.hasSession(request)) return this.#admitted(context, hasKey)
    return this.#authenticate(context)
  }

  /** A browser asks with a header of its own whether another site may send a request; that never lists PROPFIND. */
  #replyToOptions(request: HttpRequest, rawPath: string): HttpReply {
    const isCors = headerOf(request, 'access-control-request-method') !== undefined
    const reply = isCors ? undefined : this.#deps.drive.options(rawPath)
    return reply === undefined ? PREFLIGHT : finish({ ...COMMON_HEADERS }, reply)
  }

  /** Clients repeat the same host; the last valid one is cached. */
  #isLocal(host: string | undefined): boolean {
    if (host !== undefined && host === this.#localHost) return true
    if (!isLocalHostHeader(host)) return false
    this.#localHost = host
    return true
  }

  async #authenticate(context: RequestContext): Promise<HttpReply> {
    const { request, gate, headers, path } = context
    let cookie: string | undefined
    try {
      if (this.#deps.drive.isOn && this.#deps.drive.owns(path)) return await this.#authenticateProgram(context)
      cookie = await this.#deps.auth.basicSession(request, gate.gui)
    } catch (error) {
      return this.#failed(context, 'Basic authentication', error, {})
    }
    if (cookie !== undefined) headers['Set-Cookie'] = [cookie]
    else if (!isNoAuthPath(path, gate.gui)) return finish(headers, this.#refusal(gate.gui))
    return await this.#admitted(context, false)
  }

  /** Before the challenge other sites are refused: their pages must not make a browser ask for a password. */
  async #authenticateProgram(context: RequestContext): Promise<HttpReply> {
    const { request, gate, headers } = context
    if (isFromOtherSite(request)) return finish(headers, text(403, 'Forbidden'))
    const isAllowed = hasKeyAsPassword(request, gate.apiKeys) || (await this.#deps.auth.allowsBasic(request, gate.gui))
    return isAllowed ? await this.#admitted(context, false) : finish(headers, this.#challenge())
  }

  #refusal(gui: GuiConfig): Reply {
    return gui.sendBasicAuthPrompt ? this.#challenge() : text(403, 'Forbidden')
  }

  #challenge(): Reply {
    const challenge = `Basic realm="Authorization Required (${this.#options.shortId})"`
    return { ...text(401, 'Not Authorized'), headers: { 'WWW-Authenticate': challenge } }
  }

  #admitted(context: RequestContext, hasKey: boolean): HttpReply | Promise<HttpReply> {
    const { request, headers, path } = context
    headers['X-Syncthing-Version'] = this.#options.version
    headers['X-Syncthing-ID'] = this.#options.deviceId
    if (hasKey) headers['Access-Control-Allow-Origin'] = '*'
    else if (isFromOtherSite(request) && !isNoAuthPath(path, context.gate.gui)) {
      return finish(headers, text(403, 'Forbidden'))
    } else if (path === '/metrics' || this.#deps.drive.owns(path)) {
      return this.#route(context) // programs that read it need no token
    } else if (!path.startsWith('/rest')) this.#giveCsrfCookie(context)
    else if (!isNoAuthPath(path, context.gate.gui) && !this.#isOfPage(request, path)) {
      return finish(headers, text(403, 'CSRF Error'))
    }
    return this.#route(context)
  }

  /**
   * Whether the request was sent by the own page. A link, picture or video cannot send the header: for the content of a
   * file, which changes nothing, the cookie suffices, which browsers do not add to what other sites load.
   */
  #isOfPage(request: HttpRequest, path: string): boolean {
    const { csrf } = this.#deps
    if (csrf.isValid(headerOf(request, this.#csrfHeader) ?? '')) return true
    if (path !== CONTENT_PATH || (request.method !== 'GET' && request.method !== 'HEAD')) return false
    return cookieValues(request, this.#csrfCookie).some((token) => csrf.isValid(token))
  }

  #giveCsrfCookie({ request, headers, gate }: RequestContext): void {
    const { csrf } = this.#deps
    if (cookieValues(request, this.#csrfCookie).some((token) => csrf.isValid(token))) return
    const cookie = pageCookie(request, gate.gui, this.#csrfCookie, csrf.make())
    headers['Set-Cookie'] = [headers['Set-Cookie'] ?? [], cookie].flat()
  }

  #route(context: RequestContext): HttpReply | Promise<HttpReply> {
    const { request, headers, path } = context
    if (path.startsWith('/rest/') || path === '/meta.js') this.#forbidCaching(headers)
    if (context.redirect || path === '/rest')
      return finish(headers, redirect(context, path === '/rest' ? '/rest/' : path))
    if (this.#deps.drive.owns(path)) return this.#runTree(context, this.#deps.drive)
    const found = this.#deps.routes.find(request.method, path)
    switch (found.is) {
      case 'route':
        return this.#run(context, found.route, found.id)
      case 'redirect':
        return finish(headers, redirect(context, found.path))
      case 'wrong-method':
        return finish(headers, { ...text(405, 'Method Not Allowed'), headers: { Allow: found.allow } })
      case 'unknown':
        return finish(headers, NOT_FOUND)
    }
  }

  #run(context: RequestContext, route: Route, id: string): HttpReply | Promise<HttpReply> {
    let query: Query
    try {
      query = parseQuery(context.query, route.parameters)
    } catch (error) {
      return finish(context.headers, errorReply(error, {}) ?? text(400, 'Bad Request')) // no route is involved yet
    }
    const { meter } = this.#deps
    const startedMs = meter.nowMs()
    try {
      const reply = route.handle({ request: context.request, query, id })
      if (!(reply instanceof Promise)) {
        meter.count(route.path, startedMs)
        return finish(context.headers, reply)
      }
      return reply.then(
        (settled) => (meter.count(route.path, startedMs), finish(context.headers, settled)),
        (error: unknown) => (meter.count(route.path, startedMs), this.#routeFailed(context, route, error)),
      )
    } catch (error) {
      meter.count(route.path, startedMs)
      return this.#routeFailed(context, route, error)
    }
  }

  async #runTree(context: RequestContext, tree: PathTree): Promise<HttpReply> {
    const { request, rawPath, headers } = context
    const { meter } = this.#deps
    const startedMs = meter.nowMs()
    try {
      return finish(headers, await tree.handle(request, rawPath))
    } catch (error) {
      return this.#failed(context, `${request.method} ${tree.path}`, error, tree.errors)
    } finally {
      meter.count(tree.path, startedMs)
    }
  }

  #routeFailed(context: RequestContext, route: Route, error: unknown): HttpReply {
    return this.#failed(context, `${route.method} ${route.path}`, error, route.errors ?? {})
  }

  #failed(context: RequestContext, what: string, error: unknown, special: RouteErrors): HttpReply {
    const expected = errorReply(error, special)
    // Not logged when the client has disconnected: it must not be able to fill the log.
    if (expected === undefined && !context.request.signal.aborted) {
      this.#deps.logger.error(`${what} failed: ${messageOf(error)}`)
    }
    return finish(context.headers, expected ?? text(500, 'internal error'))
  }

  #forbidCaching(headers: Headers): void {
    const atS = Math.floor(this.#deps.clock.nowMs() / 1_000)
    if (atS !== this.#second.atS) this.#second = { atS, text: new Date(atS * 1_000).toUTCString() }
    headers['Cache-Control'] = NO_CACHE
    headers['Pragma'] = 'no-cache'
    headers['Expires'] = this.#second.text
  }
}

interface RequestContext {
  readonly request: HttpRequest
  readonly gate: Gate
  /** Added to by each step: an error reply has the headers of the steps before it. */
  readonly headers: Headers
  readonly rawPath: string
  readonly query: string
  readonly path: string
  readonly redirect: boolean
}

/** Whether a browser sends it for a page of another site, as an image or a script; links to here are allowed. */
function isFromOtherSite(request: HttpRequest): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  return (site === 'cross-site' || site === 'same-site') && headerOf(request, 'sec-fetch-dest') !== 'document'
}

function isNoAuthPath(path: string, gui: Pick<GuiConfig, 'metricsWithoutAuth'>): boolean {
  if (NO_AUTH_PATHS.has(path) || (path === '/metrics' && gui.metricsWithoutAuth)) return true
  return NO_AUTH_PREFIXES.some((prefix) => path.startsWith(prefix))
}

function redirect(context: RequestContext, path: string): Reply {
  return redirectTo(encodePath(path) + (context.query === '' ? '' : `?${context.query}`), context.request.method)
}

/** The host becomes part of a reply header, so only the characters of a host are allowed. */
function toHttps(host: string | undefined, target: string, absolute: boolean): Reply {
  if (host === undefined || !/^[A-Za-z0-9.:[\]_-]+$/.test(host)) return text(400, 'Bad Request')
  const rest = absolute ? target.replace(/^https?:\/\/[^/?#]*/i, '') : target
  return { status: 307, headers: { Location: `https://${host}${rest.startsWith('/') ? rest : `/${rest}`}` } }
}

function finish(headers: Headers, reply: Reply): HttpReply {
  if (reply.contentType !== undefined) headers['Content-Type'] = reply.contentType
  if (reply.headers !== undefined) {
    for (const [name, value] of Object.entries(reply.headers)) headers[name] = merged(headers[name], name, value)
  }
  return reply.body === undefined
    ? { status: reply.status, headers }
    : { status: reply.status, headers, body: reply.body }
}

/** Cookies are merged; for every other header the route's value is used. */
function merged(before: Headers[string] | undefined, name: string, value: Headers[string]): Headers[string] {
  if (name !== 'Set-Cookie' || before === undefined) return value
  return [before, value].flat()
}
