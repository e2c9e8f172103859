import type { Scope } from '../core/access.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Schema, Static } from './schema.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The error replies of one route: a status, and the text where it differs from the default. */
export type RouteErrors = Partial<Record<ErrorCode, { readonly status: number; readonly text?: string }>>

export interface Parameter {
  readonly schema: Schema
  /** What it means, in one sentence. */
  readonly about: string
  readonly required?: true
  /** May occur several times in the query; of every other parameter the first value is used. */
  readonly repeated?: true
  /** An invalid value is refused. For other parameters it is treated as absent, as clients expect. */
  readonly strict?: true
}

export type Parameters = Readonly<Record<string, Parameter>>

export interface DeclaredBody {
  readonly schema: Schema
  readonly about: string
  readonly type?: 'text/plain'
  /** Missing and null fields are read as empty, as clients expect. */
  readonly lenient?: true
}

/** The reply of a successful request. `empty` is a success without content. */
type DeclaredReply =
  | { readonly is: 'json'; readonly schema: Schema }
  | { readonly is: 'empty'; readonly status?: 204 }
  | { readonly is: 'other'; readonly type: string; readonly about: string }

/**
 * One operation of the interface, declared once, by `METHOD /path`; a path may end in `/:id`. Handlers, the client, the
 * OpenAPI document and the pages about it are derived from this.
 */
export interface Declaration {
  /** The smallest scope that a key or session must have; `open` needs neither. */
  readonly scope: Scope | 'open'
  /** Fields of the body that `operate` may change where nothing else is in it. */
  readonly operable?: readonly string[]
  /** Acts on the whole device: refused to keys that are limited to folders. */
  readonly wholeDevice?: true
  /** What it does, in one sentence. */
  readonly summary: string
  readonly query?: Parameters
  readonly body?: DeclaredBody
  readonly reply: DeclaredReply
  /** Statuses and texts of errors where they differ from the default. */
  readonly errors?: RouteErrors
  /** Other errors: the status and the condition. */
  readonly refusals?: Readonly<Record<number, string>>
}

export type RouteName = `${Method} /${string}`
export type Declarations = Readonly<Record<RouteName, Declaration>>

export type Reply<D> = D extends { readonly reply: infer R } ? ReplyValue<R> : never

type ReplyValue<R> = R extends { readonly is: 'json'; readonly schema: infer S }
  ? Static<S>
  : R extends { readonly is: 'empty' }
    ? undefined
    : R extends { readonly type: 'text/event-stream' }
      ? never
      : R extends { readonly type: `text/${string}` | 'application/javascript' }
        ? string
        : never

export type Body<D> = D extends { readonly body: { readonly schema: infer S } } ? Static<S> : undefined

/** The names of the declared parameters of a route. */
export type ParameterName<D> = D extends { readonly query: infer Q } ? keyof Q & string : never

/** The parameters as a caller gives them. */
export type QueryValues<D> = D extends { readonly query: infer Q } ? Required<Q> & Optional<Q> : object

type Required<Q> = { readonly [K in keyof Q as Q[K] extends { readonly required: true } ? K : never]: Value<Q[K]> }
type Optional<Q> = {
  readonly [K in keyof Q as Q[K] extends { readonly required: true } ? never : K]?: Value<Q[K]> | undefined
}
type Value<P> = P extends { readonly schema: infer S }
  ? P extends { readonly repeated: true }
    ? Static<S> | readonly Static<S>[]
    : Static<S>
  : never

export function methodOf(name: RouteName): Method {
  return name.slice(0, name.indexOf(' ')) as Method
}

export function pathOf(name: RouteName): string {
  return name.slice(name.indexOf(' ') + 1)
}

/** The names of a table of routes, in its order. */
export function namesOf<T extends Declarations>(routes: T): readonly (keyof T & RouteName)[] {
  return Object.keys(routes) as (keyof T & RouteName)[]
}

/** Errors about the folder: clients of these routes expect the same text for all of them. */
export function noSuchFolder<const Status extends number>(status: Status) {
  const reply = { status, text: 'no such folder' }
  return { 'folder-missing': reply, 'folder-paused': reply, 'folder-not-running': reply } satisfies RouteErrors
}
