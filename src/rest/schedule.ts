import { WEEKDAYS } from '../core/schedule/rule.ts'
import type { Declarations } from './declaration.ts'
import { COUNT, TEXT, TIME, described, list, nullable, object, BOOLEAN, type Static } from './schema.ts'

const NAME = described(TEXT, '1 to 64 letters, digits and `.` `_` `@` `-`.')
const DAYS = described(list({ enum: WEEKDAYS } as const), 'The days on which the rule begins.')
const FROM = described(TEXT, 'Local time of the device, as `22:00`.')
const TO = described(TEXT, 'As `06:00`, on the next day if that is not later than `from`; `24:00` ends the day.')
const LIMIT = 'In KiB/s, 0 is unlimited'

export const SCHEDULED_PAUSE = object({
  kind: { enum: ['folder', 'device'] } as const,
  id: TEXT,
  rule: described(nullable(TEXT), 'The rule that pauses it; null: the machine runs on its battery.'),
  until: described(nullable(TIME), 'When it ends; null: not known.'),
})

const CONDITION = { enum: ['off', 'unknown', 'yes', 'no'] } as const

const RULE_FIELDS = {
  name: NAME,
  days: DAYS,
  from: FROM,
  to: TO,
  folder: described(nullable(TEXT), 'The rule is about this folder.'),
  device: described(nullable(TEXT), 'The rule is about this device. Without folder and device it is about all.'),
  pause: described(BOOLEAN, 'Pauses the folder, the device, or all folders.'),
  maxSendKbps: described(nullable(COUNT), `${LIMIT}; null: as configured.`),
  maxRecvKbps: described(nullable(COUNT), `${LIMIT}; null: as configured.`),
}

const RULE = object(RULE_FIELDS)
const NEW_RULE = object(
  { ...RULE_FIELDS, days: described(list(TEXT), `Of ${WEEKDAYS.join(', ')}; every day when absent.`) },
  ['days', 'folder', 'device', 'pause', 'maxSendKbps', 'maxRecvKbps'],
)

const STATUS = object({
  timeZone: described(TEXT, 'Of the device, in which rules are.'),
  rules: list(object({ ...RULE_FIELDS, until: described(nullable(TIME), 'Its end; null while it is not in force.') })),
  pauses: described(list(SCHEDULED_PAUSE), 'What rules and conditions pause now.'),
  nextChange: described(nullable(TIME), 'When the next rule begins or ends.'),
  metered: described(CONDITION, 'Whether the connection is metered. `off`: not asked; `unknown`: not known here.'),
  battery: described(CONDITION, 'Whether the machine runs on its battery.'),
  sleep: object({
    state: described(
      { enum: ['off', 'idle', 'held', 'failed'] } as const,
      '`held`: the machine is kept awake; `idle`: nothing is transferred; `failed`: it cannot be kept awake.',
    ),
    problem: nullable(TEXT),
  }),
})

export type ScheduleJson = Static<typeof STATUS>
export type ScheduleRuleJson = Static<typeof RULE>
export type NewScheduleRuleJson = Static<typeof NEW_RULE>
export type ScheduledPauseJson = Static<typeof SCHEDULED_PAUSE>

/** Weekly rules for pauses and rates, and conditions of the machine. */
export const SCHEDULE_ROUTES = {
  'GET /rest/twinfold/schedule': {
    scope: 'monitor',
    summary:
      'Returns the weekly rules for pauses and rates, what they and conditions pause now, and when that changes.',
    reply: { is: 'json', schema: STATUS },
  },
  'POST /rest/twinfold/schedule': {
    scope: 'admin',
    summary: 'Adds a weekly rule, or replaces the one of its name.',
    body: { schema: NEW_RULE, about: 'The rule: either `pause`, or a limit.' },
    reply: { is: 'json', schema: RULE },
  },
  'DELETE /rest/twinfold/schedule/:id': {
    scope: 'admin',
    summary: 'Removes a weekly rule by its name.',
    reply: { is: 'empty' },
    errors: { 'file-missing': { status: 404 } },
  },
  'POST /rest/twinfold/schedule/resume': {
    scope: 'operate',
    summary: 'Resumes a folder or a device that rules pause, until these rules end.',
    query: {
      folder: { schema: TEXT, about: 'The id of the folder.' },
      device: { schema: TEXT, about: 'The id of the device.' },
    },
    reply: { is: 'json', schema: object({ resumed: described(BOOLEAN, 'False: no rule paused it.') }) },
    errors: { 'folder-missing': { status: 404 } },
  },
} as const satisfies Declarations
