import type { Declarations } from './declaration.ts'
import { COUNT, INTEGER, TEXT, TIME, about, list, object, type Static } from './schema.ts'

const EVENT = about(
  object({
    id: about(COUNT, 'Counts within one selection of types.'),
    globalID: about(COUNT, 'Counts all events of the process.'),
    time: TIME,
    type: TEXT,
    data: { description: 'What happened; the fields depend on the type.' },
  }),
  'Something that happened.',
)

export type EventJson = Static<typeof EVENT>

const POLL = {
  since: { schema: INTEGER, about: 'Only events with a greater id; 0 unless told.' },
  limit: { schema: INTEGER, about: 'At most so many, the latest ones; no limit unless told.' },
  timeout: { schema: INTEGER, about: 'Seconds to wait for the first event, 60 unless told.' },
} as const

/** Events by long poll. */
export const EVENT_ROUTES = {
  'GET /rest/events': {
    summary: 'Waits for events and lists those after a given one.',
    query: { ...POLL, events: { schema: TEXT, about: 'Types, separated by commas; all but disk changes unless told.' } },
    reply: { is: 'json', schema: list(EVENT) },
  },
  'GET /rest/events/disk': {
    summary: 'Waits for changes to files, found here or made by others.',
    query: POLL,
    reply: { is: 'json', schema: list(EVENT) },
  },
} as const satisfies Declarations
