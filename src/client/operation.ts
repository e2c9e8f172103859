import {
  methodOf,
  pathOf,
  type Body,
  type Declaration,
  type QueryValues,
  type Reply,
  type RouteName,
} from '../rest/declaration.ts'
import type { RouteKey, Routes } from '../rest/routes.ts'
import type { Schema } from '../rest/schema.ts'
import type { Ask } from './exchange.ts'
import { parseAnswer } from './parse-answer.ts'

/** The routes whose answers are JSON, text or nothing; pictures and archives are fetched by other means. */
export type OperationName = {
  [K in RouteKey]: [Reply<Routes[K]>] extends [never] ? never : K
}[RouteKey]

/** What a route needs to know: its parameters, its body, and the id in its path. */
export type OperationOptions<K extends OperationName> = QueryOption<QueryValues<Routes[K]>> &
  BodyOption<Body<Routes[K]>> &
  (K extends `${string}/:id` ? { readonly id: string } : object) & {
    readonly signal?: AbortSignal
    /** Undefined for no limit but the signal's. */
    readonly timeoutMs?: number | undefined
  }

type QueryOption<Q> = object extends Q ? { readonly query?: Q } : { readonly query: Q }
type BodyOption<B> = [B] extends [undefined] ? object : { readonly body: B }

/** Options may be left out where a route needs none. */
export type OperationArguments<K extends OperationName> =
  object extends OperationOptions<K> ? [options?: OperationOptions<K>] : [options: OperationOptions<K>]

/** The same without what the compiler has already seen to. */
export interface LooseOptions {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly id?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

/** The request that an operation stands for. */
export function requestOf(name: RouteName, route: Declaration, options: LooseOptions) {
  const { id, body, query, ...rest } = options
  const path = pathOf(name).replace(/:id$/, encodeURIComponent(id ?? ''))
  const given = route.body?.type === 'text/plain' ? { text: String(body ?? '') } : { body }
  const ask: Ask = {
    ...rest,
    ...(query && { query: Object.fromEntries(Object.entries(query)) }),
    ...(body !== undefined && given),
  }
  return { method: methodOf(name), path, ask }
}

/** The answer as the value that is declared; only its kind is looked at, which tells a daemon from another program. */
export function answerOf<T>(name: RouteName, route: Declaration, text: string): T {
  switch (route.reply.is) {
    case 'json':
      return parseAnswer<T>(text, kindOf(route.reply.schema), pathOf(name))
    case 'empty':
      return undefined as T
    case 'other':
      return text as T
  }
}

function kindOf(schema: Schema): 'object' | 'array' {
  return 'type' in schema && schema.type === 'array' ? 'array' : 'object'
}
