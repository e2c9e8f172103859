import type { GrantStore } from '../../config/types.ts'
import { bodyRefusalOf, dependsOnBody, refusalOf, type Grant } from '../../core/access.ts'
import type { GuiConfig } from '../../core/config/config.ts'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../events/types.ts'
import type { RouteErrors } from '../../rest/declaration.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpReply, HttpRequest } from '../../platform/http.ts'
import { isAuthOn, type Auth } from './auth.ts'
import { cookieValues, hasApiKey, hasKeyAsPassword, headerOf, keysIn } from './credentials.ts'
import { errorReply } from './errors.ts'
import { isLocalHostHeader } from './host-check.ts'
import { parseJson } from './json.ts'
import { limitReply, limitRequest } from './limited-request.ts'
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

/** What requests reach. */
export interface Served {
  readonly routes: RouteTable
  /** Programs read it with Basic authentication and without cookies. */
  readonly drive: PathTree
}

export interface PipelineDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly auth: Auth
  readonly csrf: CsrfTokens
  readonly grants: Pick<GrantStore, 'keyOf' | 'isValid' | 'ended' | 'noteUse'>
  /** For the owner of the device, or over what a grant may see. */
  served(grant: Grant | undefined): Served
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
const FOLDER_CONFIG_PATH = '/rest/config/folders/:id'
/** The page shows contents in elements that send no headers. */
const CONTENT_PATH = '/rest/twinfold/content'
/** A pause is short; more is no request of a program that may only pause. */
const OPERABLE_BYTES_MAX = 64 * 1024
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

    const cleaned = this.#served.routes.isExact(target.rawPath)
      ? { path: target.rawPath, redirect: false }
      : normalisePath(target.rawPath)
    if (cleaned === undefined) return finish(headers, text(400, 'Bad Request'))
    const { rawPath, query } = target
    const context: RequestContext = { request, gate, headers, rawPath, query, grant: undefined, ...cleaned }
    if (hasApiKey(request, gate.apiKeys)) return this.#admitted(context, true)
    const grant = this.#keyOf(request, false)
    if (grant !== undefined) return this.#admitted({ ...context, grant }, true)
    if (!gate.authOn) return this.#admitted(context, false)
    const sender = this.#deps.auth.sessionOf(request)
    return sender === undefined ? this.#authenticate(context) : this.#admitted({ ...context, ...sender }, false)
  }

  get #served(): Served {
    return this.#deps.served(undefined)
  }

  #keyOf(request: HttpRequest, basic: boolean): Grant | undefined {
    for (const key of keysIn(request, { basic })) {
      const grant = this.#deps.grants.keyOf(key)
      if (grant !== undefined) return grant
    }
    return undefined
  }

  /** A browser asks with a header of its own whether another site may send a request; that never lists PROPFIND. */
  #replyToOptions(request: HttpRequest, rawPath: string): HttpReply {
    const isCors = headerOf(request, 'access-control-request-method') !== undefined
    const reply = isCors ? undefined : this.#served.drive.options(rawPath)
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
    let session: Awaited<ReturnType<Auth['basicSession']>>
    try {
      const { drive } = this.#served
      if (drive.isOn && drive.owns(path)) return await this.#authenticateProgram(context)
      session = await this.#deps.auth.basicSession(request, gate.gui)
    } catch (error) {
      return this.#failed(context, 'Basic authentication', error, {})
    }
    if (session !== undefined) headers['Set-Cookie'] = [session.cookie]
    else if (!isNoAuthPath(path, gate.gui)) return finish(headers, this.#refusal(gate.gui))
    return await this.#admitted({ ...context, grant: session?.grant }, false)
  }

  /** Before the challenge other sites are refused: their pages must not make a browser ask for a password. */
  async #authenticateProgram(context: RequestContext): Promise<HttpReply> {
    const { request, gate, headers } = context
    if (isFromOtherSite(request)) return finish(headers, text(403, 'Forbidden'))
    if (hasKeyAsPassword(request, gate.apiKeys)) return await this.#admitted(context, false)
    const grant = this.#keyOf(request, true)
    if (grant !== undefined) return await this.#admitted({ ...context, grant }, false)
    const sender = await this.#deps.auth.basicSender(request, gate.gui)
    if (sender === undefined) return finish(headers, this.#challenge())
    return await this.#admitted({ ...context, ...sender }, false)
  }

  #refusal(gui: GuiConfig): Reply {
    return gui.sendBasicAuthPrompt ? this.#challenge() : text(403, 'Forbidden')
  }

  #challenge(): Reply {
    const challenge = `Basic realm="Authorization Required (${this.#options.shortId})"`
    return { ...text(401, 'Not Authorized'), headers: { 'WWW-Authenticate': challenge } }
  }

  #admitted(context: RequestContext, hasKey: boolean): HttpReply | Promise<HttpReply> {
    const { request, headers, path, grant } = context
    if (grant !== undefined) this.#deps.grants.noteUse(grant)
    headers['X-Syncthing-Version'] = this.#options.version
    headers['X-Syncthing-ID'] = this.#options.deviceId
    if (hasKey) headers['Access-Control-Allow-Origin'] = '*'
    else if (isFromOtherSite(request) && !isNoAuthPath(path, context.gate.gui)) {
      return finish(headers, text(403, 'Forbidden'))
    } else if (path === '/metrics' || this.#served.drive.owns(path)) {
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
    const { routes, drive } = this.#deps.served(context.grant)
    if (drive.owns(path)) return this.#runTree(context, drive)
    const found = routes.find(request.method, path)
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
    const { grant } = context
    if (grant !== undefined) return this.#runLimited(context, route, { query, id }, grant)
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

  async #runLimited(
    context: RequestContext,
    route: Route,
    { query, id }: { readonly query: Query; readonly id: string },
    grant: Grant,
  ): Promise<HttpReply> {
    const { meter, grants } = this.#deps
    const startedMs = meter.nowMs()
    try {
      const refusal = refusalOf(grant, route.access, foldersOf(route, query, id))
      if (refusal !== undefined) return finish(context.headers, text(403, refusal))
      let request = limitRequest(context.request, grants.ended(grant))
      if (dependsOnBody(grant, route.access)) {
        const bytes = await request.body(OPERABLE_BYTES_MAX)
        const refused = bodyRefusalOf(grant, route.access, parseJson(bytes))
        if (refused !== undefined) return finish(context.headers, text(403, refused))
        request = { ...request, body: async () => bytes }
      }
      const reply = await route.handle({ request, query, id })
      return finish(
        context.headers,
        limitReply(reply, () => grants.isValid(grant), grants.ended(grant)),
      )
    } catch (error) {
      return this.#routeFailed(context, route, error)
    } finally {
      meter.count(route.path, startedMs)
    }
  }

  async #runTree(context: RequestContext, tree: PathTree): Promise<HttpReply> {
    const { request, rawPath, headers, grant } = context
    const { meter, grants } = this.#deps
    const startedMs = meter.nowMs()
    try {
      if (grant === undefined) return finish(headers, await tree.handle(request, rawPath))
      const reply = await tree.handle(limitRequest(request, grants.ended(grant)), rawPath)
      return finish(
        headers,
        limitReply(reply, () => grants.isValid(grant), grants.ended(grant)),
      )
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
  /** Limits what the sender may do; undefined for the owner of the device. */
  readonly grant: Grant | undefined
}

/** The folders that a request names. */
function foldersOf({ path, parameters }: Route, query: Query, id: string): readonly string[] {
  const inQuery = parameters?.['folder'] === undefined ? [] : query.all('folder').filter((folder) => folder !== '')
  return path === FOLDER_CONFIG_PATH ? [...inQuery, id] : inQuery
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
