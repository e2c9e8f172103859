import { LIVENESS_ROUTES, type HealthJson, type PingJson } from '../../rest/liveness.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

/** Whether the device is up. */
export function livenessRoutes(): readonly Route[] {
  const ping = json({ ping: 'pong' } satisfies PingJson)
  const health = json({ status: 'OK' } satisfies HealthJson)
  return bind(LIVENESS_ROUTES, {
    'GET /rest/system/ping': () => ping,
    'POST /rest/system/ping': () => ping,
    'GET /rest/noauth/health': () => health,
  })
}
