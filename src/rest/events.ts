import type { Declarations } from './declaration.ts'
import { INTEGER, TEXT, list, ref } from './schema.ts'

const POLL = {
  since: { schema: INTEGER, about: 'Only events with a greater id; default 0.' },
  limit: { schema: INTEGER, about: 'The maximum number of events, the latest ones; default unlimited.' },
  timeout: { schema: INTEGER, about: 'Seconds to wait for the first event; default 60.' },
} as const

/** Events by long poll. */
export const EVENT_ROUTES = {
  'GET /rest/events': {
    summary: 'Waits for events and lists those after a given id.',
    query: {
      ...POLL,
      events: { schema: TEXT, about: 'Event types, separated by commas; default all but disk changes.' },
    },
    reply: { is: 'json', schema: list(ref('Event')) },
  },
  'GET /rest/events/disk': {
    summary: 'Waits for local and remote changes to files and lists them.',
    query: POLL,
    reply: { is: 'json', schema: list(ref('Event')) },
  },
} as const satisfies Declarations
