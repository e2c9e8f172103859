import type { Declarations } from './declaration.ts'
import { object, type Static } from './schema.ts'

const PING = object({ ping: { const: 'pong' } })
export type PingJson = Static<typeof PING>

const HEALTH = object({ status: { const: 'OK' } })
export type HealthJson = Static<typeof HEALTH>

/** Routes that say that the device is up: they use none of its services. */
export const LIVENESS_ROUTES = {
  'GET /rest/system/ping': { scope: 'monitor', summary: 'Returns pong.', reply: { is: 'json', schema: PING } },
  'POST /rest/system/ping': { scope: 'monitor', summary: 'Returns pong.', reply: { is: 'json', schema: PING } },
  'GET /rest/noauth/health': {
    scope: 'open',
    summary: 'Returns OK while the device is up.',
    reply: { is: 'json', schema: HEALTH },
  },
} as const satisfies Declarations

/** As sent, without a query. */
export const LIVENESS_PATHS: ReadonlySet<string> = new Set(['/rest/system/ping', '/rest/noauth/health'])
