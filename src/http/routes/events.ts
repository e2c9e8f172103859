import {
  DEFAULT_EVENT_TYPES,
  DISK_EVENT_TYPES,
  EVENT_TYPES,
  type EventRow,
  type EventSource,
  type EventType,
} from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EventJson } from '../../rest/event-data.ts'
import { EVENT_ROUTES } from '../../rest/events.ts'
import { formatJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { JSON_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import { streamEvents } from './event-stream.ts'
import { formatMs } from '../views/times.ts'

const TIMEOUT_S_DEFAULT = 60
const TIMEOUT_S_MAX = 24 * 3_600

export interface EventRouteDeps {
  readonly events: EventSource
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Events by long poll: headers at once, rows as soon as there are any. */
export function eventRoutes({ events, clock }: EventRouteDeps, run: string): readonly Route[] {
  return bind(EVENT_ROUTES, {
    'GET /rest/twinfold/events/stream': (call) =>
      streamEvents({ sequence: events.sequence(), shown: events.shown, clock, run }, call),
    'GET /rest/events': (call) => poll(events, typesOf(call.query), call),
    'GET /rest/events/disk': (call) => poll(events, DISK_EVENT_TYPES, call),
  })
}

/** Unknown names are ignored; a list of only such names selects nothing and always times out. */
function typesOf(query: Query<'events'>): ReadonlySet<EventType> {
  const names = query.first('events')
  if (names === undefined || names === '') return DEFAULT_EVENT_TYPES
  const wanted: ReadonlySet<string> = new Set(names.split(',').map((name) => name.trim()))
  return new Set(EVENT_TYPES.filter((type) => wanted.has(type)))
}

function poll(
  events: EventSource,
  types: ReadonlySet<EventType>,
  { query, request }: Call<'since' | 'limit' | 'timeout'>,
): Reply {
  const since = Math.max(0, query.integer('since') ?? 0)
  const limit = query.integer('limit') ?? 0
  const timeoutS = query.integer('timeout') ?? -1
  const timeoutMs = (timeoutS < 0 ? TIMEOUT_S_DEFAULT : Math.min(timeoutS, TIMEOUT_S_MAX)) * 1_000
  async function* rows() {
    const found = await events.buffer(types).since(since, timeoutMs, request.signal)
    yield formatJson((limit > 0 ? found.slice(-limit) : found).map(eventJson))
  }
  return { status: 200, contentType: JSON_TYPE, body: rows() }
}

function eventJson(row: EventRow): EventJson {
  const { id, globalID, timeMs, ...what } = row
  return { id, globalID, time: formatMs(timeMs), ...what }
}
