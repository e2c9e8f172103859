import { HOOK_CONDITIONS, HOOK_FORMATS } from '../core/hooks/hook.ts'
import type { Declarations } from './declaration.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

const NAME = described(TEXT, '1 to 64 letters, digits and `.` `_` `@` `-`.')
const CONDITION = { enum: HOOK_CONDITIONS } as const
const FORMAT = { enum: HOOK_FORMATS } as const
const DURATION = 'seconds, minutes, hours, days or weeks, as `30s`, `10m`, `2h`, `3d`, `1w`'

const LOG_ENTRY = object({
  time: TIME,
  id: described(TEXT, 'Of the delivery, as its receiver gets it.'),
  text: TEXT,
  outcome: described(
    { enum: ['delivered', 'failed', 'dropped'] } as const,
    '`failed`: it will be tried again, unless it was a test or a call that repeats; `dropped`: it will not.',
  ),
  detail: described(TEXT, 'The status of the server, the exit code of the program, or why it failed.'),
})

const HOOK = object({
  name: NAME,
  on: CONDITION,
  folder: described(nullable(TEXT), 'Null: every folder.'),
  device: described(nullable(TEXT), 'Null: this device, and with `device-away` every other one.'),
  after: described(TEXT, `How long the state has to last, of \`all-in-sync\` the interval: ${DURATION}.`),
  url: described(nullable(TEXT), 'Null for a program.'),
  format: described(nullable(FORMAT), 'Null for a program.'),
  signed: described(BOOLEAN, 'Whether requests are signed; the secret is never returned.'),
  allowPrivate: BOOLEAN,
  program: described(nullable(TEXT), 'Null for a webhook.'),
  args: list(TEXT),
  created: TIME,
  waiting: described(COUNT, 'Deliveries that wait, also for their next attempt.'),
  last: described(nullable(LOG_ENTRY), 'The last attempt; null: there was none.'),
})

const NEW_HOOK = object(
  {
    name: NAME,
    on: CONDITION,
    folder: described(TEXT, 'The id of the folder; every folder when absent.'),
    device: described(TEXT, 'The id of the device; this device when absent, and with `device-away` every other one.'),
    after: described(TEXT, `How long the state has to last, of \`all-in-sync\` the interval: ${DURATION}.`),
    url: described(TEXT, 'Where to send it. Either this or a program.'),
    format: FORMAT,
    secret: described(TEXT, 'Signs requests, as in the specification Standard Webhooks: at least 16 characters.'),
    allowPrivate: described(BOOLEAN, 'Whether the server may be on this machine or in a private network.'),
    program: described(TEXT, 'A program that the device runs, without a shell.'),
    args: list(TEXT),
  },
  ['folder', 'device', 'after', 'url', 'format', 'secret', 'allowPrivate', 'program', 'args'],
)

const TESTED = object({ ok: BOOLEAN, detail: TEXT })

export type HookJson = Static<typeof HOOK>
export type NewHookJson = Static<typeof NEW_HOOK>
export type HookLogEntryJson = Static<typeof LOG_ENTRY>

const MISSING = { 'file-missing': { status: 404 } } as const

/** Hooks: webhooks and programs that are notified of settled states. Each may run a program: only for admin. */
export const HOOK_ROUTES = {
  'GET /rest/twinfold/hooks': {
    scope: 'admin',
    summary: 'Lists the hooks, with the last attempt of each.',
    reply: { is: 'json', schema: list(HOOK) },
  },
  'POST /rest/twinfold/hooks': {
    scope: 'admin',
    summary: 'Adds a hook: a webhook or a program that is notified when a state has settled.',
    body: { schema: NEW_HOOK, about: 'The hook to add, with either `url` or `program`.' },
    reply: { is: 'json', schema: HOOK },
  },
  'DELETE /rest/twinfold/hooks/:id': {
    scope: 'admin',
    summary: 'Removes a hook by its name, with what waits for its delivery.',
    reply: { is: 'empty' },
    errors: MISSING,
  },
  'POST /rest/twinfold/hooks/test/:id': {
    scope: 'admin',
    summary: 'Delivers a test of a hook at once, and returns the result.',
    reply: { is: 'json', schema: TESTED },
    errors: MISSING,
  },
  'GET /rest/twinfold/hooks/log/:id': {
    scope: 'admin',
    summary: 'Lists the last attempts of a hook, newest first.',
    reply: { is: 'json', schema: list(LOG_ENTRY) },
    errors: MISSING,
  },
} as const satisfies Declarations
