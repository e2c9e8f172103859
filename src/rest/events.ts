import type { EventMap, EventType } from './event-data.ts'
import type { Declarations } from './declaration.ts'
import { INTEGER, TEXT, list, ref } from './schema.ts'

const POLL = {
  since: { schema: INTEGER, about: 'Only events with a greater id; default 0.' },
  limit: { schema: INTEGER, about: 'The maximum number of events, the latest ones; default unlimited.' },
  timeout: { schema: INTEGER, about: 'Seconds to wait for the first event; default 60.' },
} as const

/** What to request after a gap: together they are the state that events change. */
export const GAP_RELOAD = ['/rest/config', '/rest/twinfold/summary'] as const

/** The data of a `gap` event: events before it were not sent. */
export interface GapJson {
  /** `overrun`: the reader was too slow or away for too long. `restart`: they were events of an earlier process. */
  readonly reason: 'overrun' | 'restart'
  /** What to request instead of the missing events. */
  readonly reload: readonly string[]
}

/** An event of the stream. `id` is a position: the process and the number of the event. */
export type StreamedEventJson = {
  readonly [K in EventType]: {
    readonly id: string
    readonly time: string
    readonly type: K
    readonly data: EventMap[K]
  }
}[EventType]

/** Events by long poll, and as a stream. */
export const EVENT_ROUTES = {
  'GET /rest/events': {
    scope: 'monitor',
    summary: 'Waits for events and lists those after a given id.',
    query: {
      ...POLL,
      events: { schema: TEXT, about: 'Event types, separated by commas; default all but disk changes.' },
    },
    reply: { is: 'json', schema: list(ref('Event')) },
  },
  'GET /rest/events/disk': {
    scope: 'monitor',
    summary: 'Waits for local and remote changes to files and lists them.',
    query: POLL,
    reply: { is: 'json', schema: list(ref('Event')) },
  },
  'GET /rest/twinfold/events/stream': {
    scope: 'monitor',
    summary: 'Streams events as they happen, as server-sent events: one sequence, without a gap that is not announced.',
    query: {
      types: { schema: TEXT, about: 'Event types, separated by commas; default all.', repeated: true },
      folder: { schema: TEXT, about: 'Only events about this folder.', repeated: true },
      device: { schema: TEXT, about: 'Only events about this device.', repeated: true },
      follow: {
        schema: { enum: ['true', 'false'] },
        about: 'Whether the stream continues with new events; default true.',
      },
      since: {
        schema: TEXT,
        about:
          'Where to begin: `now` (default), `0` for the events that are still held, or the id of the last event, ' +
          'as in the header `Last-Event-ID`, which takes precedence.',
      },
    },
    reply: {
      is: 'other',
      type: 'text/event-stream',
      about:
        'Messages with an event as JSON (`id`, `time`, `type`, `data`), messages with an id alone as heartbeat, and ' +
        '`event: gap` (`reason`, `reload`) where events are missing.',
    },
  },
} as const satisfies Declarations
