import type { Declarations } from './declaration.ts'
import { INTEGER, TEXT, list, ref } from './schema.ts'

const POLL = {
  since: { schema: INTEGER, about: 'Only events with a greater id; 0 unless told.' },
  limit: { schema: INTEGER, about: 'At most so many, the latest ones; no limit unless told.' },
  timeout: { schema: INTEGER, about: 'Seconds to wait for the first event, 60 unless told.' },
} as const

/** Events by long poll. */
export const EVENT_ROUTES = {
  'GET /rest/events': {
    summary: 'Waits for events and lists those after a given one.',
    query: {
      ...POLL,
      events: { schema: TEXT, about: 'Types, separated by commas; all but disk changes unless told.' },
    },
    reply: { is: 'json', schema: list(ref('Event')) },
  },
  'GET /rest/events/disk': {
    summary: 'Waits for changes to files, found here or made by others.',
    query: POLL,
    reply: { is: 'json', schema: list(ref('Event')) },
  },
} as const satisfies Declarations
