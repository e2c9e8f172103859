import { TwinfoldError } from '../errors.ts'

/** In the order of the week. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

type Weekday = (typeof WEEKDAYS)[number]

/** What is so every week, while the local clock is between two times. */
export interface ScheduleRule {
  readonly name: string
  /** On which it begins. */
  readonly days: readonly Weekday[]
  /** As `22:00`. */
  readonly from: string
  /** As `06:00`, on the next day if that is not later than `from`; `24:00` is the end of the day. */
  readonly to: string
  /** The rule is about this folder; null: not about one. */
  readonly folder: string | null
  /** The rule is about this device; null: not about one. */
  readonly device: string | null
  readonly pause: boolean
  /** In KiB/s, 0 is unlimited; null: as without the rule. */
  readonly maxSendKbps: number | null
  readonly maxRecvKbps: number | null
}

/** A rule as users give it. */
export interface NewScheduleRule {
  readonly name: string
  readonly days?: readonly string[] | undefined
  readonly from: string
  readonly to: string
  readonly folder?: string | null | undefined
  readonly device?: string | null | undefined
  readonly pause?: boolean | undefined
  readonly maxSendKbps?: number | null | undefined
  readonly maxRecvKbps?: number | null | undefined
}

const RULES_MAX = 100
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
const TIME = /^(\d\d):(\d\d)$/
const MINUTES_MAX = 24 * 60
const KBPS_MAX = 2 ** 31

/** Rejects with `bad-request` what could never be in force, or would do nothing. */
export function makeRule(wanted: NewScheduleRule): ScheduleRule {
  const { name, from, to, folder = null, device = null, pause = false } = wanted
  const { maxSendKbps = null, maxRecvKbps = null } = wanted
  if (!NAME.test(name)) throw invalid('name', 'use 1 to 64 letters, digits and . _ @ -')
  const [start, end] = [minutesOf(from), minutesOf(to)]
  if (start === undefined || start === MINUTES_MAX) throw invalid('from', 'use a time such as 22:00')
  if (end === undefined) throw invalid('to', 'use a time such as 06:00, or 24:00 for the end of the day')
  if (start === end) throw invalid('to', 'is the same as from; a whole day is from 00:00 to 24:00')
  if (folder !== null && device !== null) throw invalid('device', 'a rule is about a folder, a device, or all')
  const isLimit = maxSendKbps !== null || maxRecvKbps !== null
  if (pause === isLimit) throw invalid('pause', 'a rule either pauses, or limits what is sent or received')
  for (const [field, value] of Object.entries({ maxSendKbps, maxRecvKbps })) {
    if (value !== null && !(Number.isInteger(value) && value >= 0 && value <= KBPS_MAX))
      throw invalid(field, 'use a whole number of KiB/s; 0 is unlimited')
  }
  return { name, days: parseDays(wanted.days), from, to, folder, device, pause, maxSendKbps, maxRecvKbps }
}

function parseDays(days: readonly string[] | undefined): readonly Weekday[] {
  if (days === undefined) return WEEKDAYS
  const unknown = days.find((day) => !WEEKDAYS.some((known) => known === day))
  if (unknown !== undefined) throw invalid('days', `there is no day ${unknown}; use ${WEEKDAYS.join(', ')}`)
  if (days.length === 0) throw invalid('days', 'name at least one day')
  return WEEKDAYS.filter((day) => days.includes(day))
}

/** Minutes since midnight; undefined for what is not a time of a day. */
export function minutesOf(text: string): number | undefined {
  const [, hours = '', minutes = ''] = TIME.exec(text) ?? []
  if (hours === '' || Number(minutes) > 59) return undefined
  const total = Number(hours) * 60 + Number(minutes)
  return total > MINUTES_MAX ? undefined : total
}

/** Replaces the rule of the same name. */
export function withRule(rules: readonly ScheduleRule[], rule: ScheduleRule): readonly ScheduleRule[] {
  const at = rules.findIndex(({ name }) => name === rule.name)
  if (at >= 0) return rules.with(at, rule)
  if (rules.length >= RULES_MAX) throw new TwinfoldError('bad-request', `there are ${RULES_MAX} rules already`)
  return [...rules, rule]
}

/** Reads stored rules; rejects with `config-invalid`. */
export function parseRules(value: unknown, path: string): readonly ScheduleRule[] {
  if (!Array.isArray(value)) throw new TwinfoldError('config-invalid', `${path} is not a list`)
  const rules: ScheduleRule[] = []
  for (const [index, each] of value.entries()) rules.push(parseRule(each, `${path}[${index}]`))
  const names = new Set(rules.map(({ name }) => name))
  if (names.size < rules.length) throw new TwinfoldError('config-invalid', `${path} has two rules of one name`)
  if (rules.length > RULES_MAX) throw new TwinfoldError('config-invalid', `${path} has more than ${RULES_MAX} rules`)
  return rules
}

const TYPES: Readonly<Record<keyof ScheduleRule, readonly string[]>> = {
  name: ['string'],
  days: ['list', 'undefined'],
  from: ['string'],
  to: ['string'],
  folder: ['string', 'null', 'undefined'],
  device: ['string', 'null', 'undefined'],
  pause: ['boolean', 'undefined'],
  maxSendKbps: ['number', 'null', 'undefined'],
  maxRecvKbps: ['number', 'null', 'undefined'],
}

function parseRule(value: unknown, path: string): ScheduleRule {
  if (typeOf(value) !== 'object') throw new TwinfoldError('config-invalid', `${path} is not an object`)
  const fields = value as Readonly<Record<string, unknown>>
  for (const [name, types] of Object.entries(TYPES)) {
    if (!types.includes(typeOf(fields[name]))) throw new TwinfoldError('config-invalid', `${path}.${name} is not valid`)
  }
  try {
    return makeRule(fields as unknown as NewScheduleRule)
  } catch (error) {
    if (!(error instanceof TwinfoldError)) throw error
    throw new TwinfoldError('config-invalid', `${path}.${error.message}`, { cause: error })
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

function invalid(field: string, message: string): TwinfoldError {
  return new TwinfoldError('bad-request', `${field}: ${message}`)
}
