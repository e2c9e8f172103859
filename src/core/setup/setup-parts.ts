import type { Json, JsonObject } from '../config/config-json.ts'
import { parseDuration } from '../duration.ts'
import { TwinfoldError } from '../errors.ts'
import { HOOK_CONDITIONS, HOOK_FORMATS, HOOK_UNITS, makeHook, type Hook, type NewHook } from '../hooks/hook.ts'
import type { DeviceId } from '../ids.ts'
import { makeRule, type NewScheduleRule, type ScheduleRule } from '../schedule/rule.ts'

/** The id of a device by its name or its id. */
export type DeviceNames = (text: string, path: string) => DeviceId

export const RULE_NAMES = [
  'name',
  'days',
  'from',
  'to',
  'folder',
  'device',
  'pause',
  'maxSendKbps',
  'maxRecvKbps',
] as const
export const HOOK_NAMES = [
  'name',
  'on',
  'folder',
  'device',
  'after',
  'url',
  'format',
  'secret',
  'allowPrivate',
  'program',
  'args',
] as const

/** One weekly rule; its names are checked already. */
export function parseSetupRule(fields: JsonObject, path: string, ids: DeviceNames): ScheduleRule {
  const { days, pause, maxSendKbps, maxRecvKbps } = fields
  const device = textAt(fields, 'device', path)
  if (days !== undefined && !isTexts(days)) throw bad(`${path}.days is not a list of days`)
  if (pause !== undefined && typeof pause !== 'boolean') throw bad(`${path}.pause is neither true nor false`)
  const wanted: NewScheduleRule = {
    name: textAt(fields, 'name', path) ?? '',
    from: textAt(fields, 'from', path) ?? '',
    to: textAt(fields, 'to', path) ?? '',
    days,
    folder: textAt(fields, 'folder', path),
    device: device === undefined ? undefined : ids(device, `${path}.device`),
    pause,
    maxSendKbps: numberOf(maxSendKbps),
    maxRecvKbps: numberOf(maxRecvKbps),
  }
  return at(path, '.', () => makeRule(wanted))
}

/** What is not a number is refused by the rule. */
function numberOf(value: Json | undefined): number | undefined {
  return value === undefined ? undefined : typeof value === 'number' ? value : Number.NaN
}

/** One hook; its names are checked already. */
export function parseSetupHook(fields: JsonObject, path: string, ids: DeviceNames): NewHook {
  const text = (name: string): string | undefined => textAt(fields, name, path)
  const on = HOOK_CONDITIONS.find((each) => each === fields['on'])
  if (on === undefined) throw bad(`${path}.on must be one of ${HOOK_CONDITIONS.join(', ')}`)
  const after = text('after')
  const afterMs = after === undefined ? undefined : parseDuration(after, HOOK_UNITS)
  if (after !== undefined && afterMs === undefined) throw bad(`${path}.after must be a duration such as 10m`)
  const device = text('device')
  const hook: NewHook = {
    name: text('name') ?? '',
    on,
    folder: text('folder'),
    device: device === undefined ? undefined : ids(device, `${path}.device`),
    afterMs,
    target: targetOf(fields, path),
  }
  // With what the daemon adds, so that it compares with the stored one.
  const { id: _, createdMs: _at, ...made } = at(path, ': ', () => makeHook([], hook, { id: '', createdMs: 0 }))
  return made
}

function targetOf(fields: JsonObject, path: string): Hook['target'] {
  const { args = [], allowPrivate = false } = fields
  const [url, program, secret] = ['url', 'program', 'secret'].map((name) => textAt(fields, name, path))
  if ((url === undefined) === (program === undefined)) throw bad(`${path} must have either url or program`)
  if (!isTexts(args)) throw bad(`${path}.args is not a list of texts`)
  if (typeof allowPrivate !== 'boolean') throw bad(`${path}.allowPrivate is neither true nor false`)
  if (program !== undefined) return { kind: 'program', program, args }
  const format = HOOK_FORMATS.find((each) => each === (fields['format'] ?? 'json'))
  if (format === undefined) throw bad(`${path}.format must be one of ${HOOK_FORMATS.join(', ')}`)
  return { kind: 'url', url: url ?? '', format, secret, allowPrivate }
}

function textAt(fields: JsonObject, name: string, path: string): string | undefined {
  const value = fields[name]
  if (value !== undefined && typeof value !== 'string') throw bad(`${path}.${name} is not a text`)
  return value
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** The place of what is refused precedes its reason. */
function at<T>(path: string, separator: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TwinfoldError)) throw error
    throw new TwinfoldError('bad-request', `${path}${separator}${error.message}`, { cause: error })
  }
}

function bad(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}
