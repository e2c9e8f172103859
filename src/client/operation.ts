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
import type { RequestOptions } from './exchange.ts'
import { parseReply } from './parse-reply.ts'

/** The routes whose replies are JSON, text or empty; images and archives are downloaded. */
export type OperationName = {
  [K in RouteKey]: [Reply<Routes[K]>] extends [never] ? never : K
}[RouteKey]

/** The arguments of a route: its parameters, its body, and the id in its path. */
export type OperationOptions<K extends OperationName> = QueryOption<QueryValues<Routes[K]>> &
  BodyOption<Body<Routes[K]>> &
  (K extends `${string}/:id` ? { readonly id: string } : object) & {
    readonly signal?: AbortSignal
    /** Undefined for no timeout: only the signal ends the request. */
    readonly timeoutMs?: number | undefined
  }

type QueryOption<Q> = object extends Q ? { readonly query?: Q } : { readonly query: Q }
type BodyOption<B> = [B] extends [undefined] ? object : { readonly body: B }

/** Options are optional where a route requires none. */
export type OperationArguments<K extends OperationName> =
  object extends OperationOptions<K> ? [options?: OperationOptions<K>] : [options: OperationOptions<K>]

/** The same without the constraints that the compiler has checked. */
export interface LooseOptions {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly id?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

/** The request of an operation. */
export function requestOf(name: RouteName, route: Declaration, options: LooseOptions) {
  const { id, body, query, ...rest } = options
  const path = pathOf(name).replace(/:id$/, encodeURIComponent(id ?? ''))
  const given = route.body?.type === 'text/plain' ? { text: String(body ?? '') } : { body }
  const request: RequestOptions = {
    ...rest,
    ...(query && { query: Object.fromEntries(Object.entries(query)) }),
    ...(body !== undefined && given),
  }
  return { method: methodOf(name), path, request }
}

/** The reply as the declared type; only its kind is checked, which detects another program at the address. */
export function replyOf<T>(name: RouteName, route: Declaration, text: string): T {
  switch (route.reply.is) {
    case 'json':
      return parseReply<T>(text, kindOf(route.reply.schema), pathOf(name))
    case 'empty':
      return undefined as T
    case 'other':
      return text as T
  }
}

function kindOf(schema: Schema): 'object' | 'array' {
  return 'type' in schema && schema.type === 'array' ? 'array' : 'object'
}
