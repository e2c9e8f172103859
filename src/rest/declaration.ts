import type { ErrorCode } from '../core/errors.ts'
import type { Schema, Static } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How one route answers refusals: a status, and the words where they differ from the usual ones. */
export type RouteErrors = Partial<Record<ErrorCode, { readonly status: number; readonly words?: string }>>

export interface Parameter {
  readonly schema: Schema
  /** What it means, in one sentence. */
  readonly about: string
  readonly required?: true
  /** May stand in the query several times; of every other one the first counts. */
  readonly repeated?: true
  /** A value that is not of the schema is refused. Of all others such a value counts as absent, as clients expect. */
  readonly strict?: true
}

export type Parameters = Readonly<Record<string, Parameter>>

export interface DeclaredBody {
  readonly schema: Schema
  readonly about: string
  readonly type?: 'text/plain'
  /** Fields that are missing or null are taken for empty ones, as clients expect. */
  readonly lenient?: true
}

/** What a route answers when it did what it was asked. `empty` is a success without content. */
type ReplyShape =
  | { readonly is: 'json'; readonly schema: Schema }
  | { readonly is: 'empty'; readonly status?: 204 }
  | { readonly is: 'other'; readonly type: string; readonly about: string }

/**
 * One operation of the interface, declared once, by `METHOD /path`; a path may end in `/:id`. Handlers, the client, the
 * OpenAPI document and the pages about it are made from this.
 */
export interface Declaration {
  /** What it does, in one sentence for people. */
  readonly summary: string
  readonly query?: Parameters
  readonly body?: DeclaredBody
  readonly reply: ReplyShape
  /** Statuses and words of refusals where they differ from the usual. */
  readonly errors?: RouteErrors
  /** Refusals that come from elsewhere: status and when. */
  readonly refusals?: Readonly<Record<number, string>>
  /** Anybody may ask, without key or session. */
  readonly open?: true
}

export type RouteName = `${Method} /${string}`
export type Declarations = Readonly<Record<RouteName, Declaration>>

export type Reply<D> = D extends { readonly reply: infer R } ? ReplyValue<R> : never

type ReplyValue<R> = R extends { readonly is: 'json'; readonly schema: infer S }
  ? Static<S>
  : R extends { readonly is: 'empty' }
    ? undefined
    : R extends { readonly type: `text/${string}` | 'application/javascript' }
      ? string
      : never

export type Body<D> = D extends { readonly body: { readonly schema: infer S } } ? Static<S> : undefined

/** The names of the parameters that a route knows. */
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

/** For a refusal that concerns the folder: clients of these routes expect the same words for any trouble with it. */
export function noSuchFolder<const Status extends number>(status: Status) {
  const answer = { status, words: 'no such folder' }
  return { 'folder-missing': answer, 'folder-paused': answer, 'folder-not-running': answer } satisfies RouteErrors
}
