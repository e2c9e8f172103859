import {
  methodOf,
  namesOf,
  pathOf,
  type Declaration,
  type Declarations,
  type Method,
  type ParameterName,
  type Parameters,
  type RouteErrors,
} from '../../rest/declaration.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { Query } from './query.ts'
import type { Reply } from './reply.ts'

/** One request after authentication, as passed to a handler. */
export interface Call<Name extends string = string> {
  readonly request: HttpRequest
  readonly query: Query<Name>
  /** The value of `:id`; empty for routes without one. */
  readonly id: string
}

interface RouteAccess {
  readonly scope: Declaration['scope']
  readonly operable: readonly string[]
  readonly wholeDevice: boolean
}

/** A declared operation and its handler. */
export interface Route {
  readonly method: Method
  readonly path: string
  /** Who may use it, as declared. */
  readonly access: RouteAccess
  /** What it does, in one sentence. */
  readonly summary: string
  /** Statuses and texts of errors where they differ from the default. */
  readonly errors?: RouteErrors
  /** The declared parameters. */
  readonly parameters?: Parameters
  readonly handle: Handler
}

/** A handler can only read the parameters of its declaration. */
type Handler<Name extends string = string> = (call: Call<Name>) => Reply | Promise<Reply>

/** Binds every declared route to its handler; a missing or surplus handler is a type error. */
export function bind<const D extends Declarations>(
  declarations: D,
  handlers: { readonly [K in keyof D]: Handler<ParameterName<D[K]>> },
): readonly Route[] {
  return namesOf(declarations).map((name) => {
    const { summary, errors, query: parameters, scope, operable, wholeDevice } = declarations[name]!
    const handle: Handler = handlers[name]
    const more = { ...(errors !== undefined && { errors }), ...(parameters !== undefined && { parameters }) }
    const access: RouteAccess = { scope, operable: operable ?? [], wholeDevice: wholeDevice ?? false }
    return { method: methodOf(name), path: pathOf(name), access, summary, ...more, handle }
  })
}

export type RouteMatch =
  | { readonly is: 'route'; readonly route: Route; readonly id: string }
  | { readonly is: 'wrong-method'; readonly allow: string }
  | { readonly is: 'redirect'; readonly path: string }
  | { readonly is: 'unknown' }

interface PathEntry {
  readonly byMethod: ReadonlyMap<string, Route>
  readonly allow: string
}

const UNKNOWN: RouteMatch = { is: 'unknown' }
const PARAMETER = '/:id'

/** Finds the route of a request. Nearly all paths are fixed, so a map is sufficient. */
export class RouteTable {
  readonly routes: readonly Route[]
  readonly #entries = new Map<string, PathEntry>()
  readonly #canonical = new Map<string, string>()

  constructor(routes: readonly Route[]) {
    this.routes = routes
    for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
      const byMethod = new Map(group.map((route) => [route.method as string, route]))
      this.#entries.set(path, { byMethod, allow: [...byMethod.keys(), 'OPTIONS'].sort().join(', ') })
      this.#canonical.set(path.toLowerCase(), path)
    }
  }

  /** Whether a path as sent is exactly that of a route, so that it needs no cleaning. */
  isExact(path: string): boolean {
    return this.#entries.has(path) && !path.endsWith(PARAMETER)
  }

  find(method: string, path: string): RouteMatch {
    const exact = this.#find(path)
    if (exact !== undefined) {
      const route = exact.entry.byMethod.get(method)
      return route === undefined
        ? { is: 'wrong-method', allow: exact.entry.allow }
        : { is: 'route', route, id: exact.id }
    }
    const other = this.#otherSpelling(path)
    if (other === undefined || other === path) return UNKNOWN
    return this.#find(other)?.entry.byMethod.has(method) === true ? { is: 'redirect', path: other } : UNKNOWN
  }

  #find(path: string): { readonly entry: PathEntry; readonly id: string } | undefined {
    const fixed = path.endsWith(PARAMETER) ? undefined : this.#entries.get(path)
    if (fixed !== undefined) return { entry: fixed, id: '' }
    const slash = path.lastIndexOf('/')
    const id = path.slice(slash + 1)
    const entry = id === '' ? undefined : this.#entries.get(path.slice(0, slash) + PARAMETER)
    return entry === undefined ? undefined : { entry, id }
  }

  /** The path without a slash at its end and in the right case; the case of an id is kept. */
  #otherSpelling(path: string): string | undefined {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
    const fixed = this.#canonical.get(bare.toLowerCase())
    if (fixed !== undefined && !fixed.endsWith(PARAMETER)) return fixed
    const slash = bare.lastIndexOf('/')
    const family = this.#canonical.get(bare.slice(0, slash).toLowerCase() + PARAMETER)
    return family === undefined ? undefined : family.slice(0, -PARAMETER.length) + bare.slice(slash)
  }
}
