/** Which weekly rules are in force, until when, and when that changes next. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resumeUntil, scheduleEffect, type ScheduleState } from '../../../src/core/schedule/effect.ts'
import { makeRule, type NewScheduleRule, type ScheduleRule } from '../../../src/core/schedule/rule.ts'
import { openZone } from '../../../src/core/schedule/zone.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { testSeed } from '../../support/seed.ts'

const BERLIN = openZone('Europe/Berlin')!
const FOLDERS = ['docs', 'photos']

function rule(fields: Partial<NewScheduleRule>): ScheduleRule {
  return makeRule({ name: 'rule', from: '22:00', to: '06:00', pause: true, ...fields })
}

function state(time: string, more: Partial<ScheduleState> = {}): ScheduleState {
  const nowMs = Date.parse(time)
  return { nowMs, zone: BERLIN, folders: FOLDERS, resumed: [], onBattery: [], isLocalOnly: false, ...more }
}

const minute = (timeMs: number | undefined) =>
  timeMs === undefined ? undefined : new Date(timeMs).toISOString().slice(0, 16)

/** Whether the folder is paused, until when, and the next edge, in UTC. */
function paused(rules: readonly ScheduleRule[], time: string, folder = 'docs'): readonly unknown[] {
  const { pauses, nextMs } = scheduleEffect(rules, state(time))
  const pause = pauses.find(({ kind, id }) => kind === 'folder' && id === folder)
  return [pause?.rule, minute(pause?.untilMs), minute(nextMs)]
}

test('a rule over midnight begins on its day and ends on the next', () => {
  const friday = [rule({ days: ['fri'] })]
  assert.deepEqual(paused(friday, '2026-07-03T19:59:59Z'), [undefined, undefined, '2026-07-03T20:00'])
  assert.deepEqual(paused(friday, '2026-07-03T20:00:00Z'), ['rule', '2026-07-04T04:00', '2026-07-04T04:00'])
  assert.deepEqual(paused(friday, '2026-07-04T03:59:59Z'), ['rule', '2026-07-04T04:00', '2026-07-04T04:00'])
  assert.deepEqual(paused(friday, '2026-07-04T04:00:00Z'), [undefined, undefined, '2026-07-10T20:00'])
  assert.deepEqual(
    paused(friday, '2026-07-03T01:00:00Z'),
    [undefined, undefined, '2026-07-03T20:00'],
    'not of Thursday',
  )
})

test('on the day whose hour is skipped, a rule begins or ends with the change', () => {
  const sunday = { days: ['sun'] }
  // 02:00 to 03:00 does not exist on 29 March: 01:59 is followed by 03:00, 01:00 in UTC.
  assert.deepEqual(paused([rule({ ...sunday, from: '02:30', to: '04:00' })], '2026-03-29T01:00:00Z'), [
    'rule',
    '2026-03-29T02:00',
    '2026-03-29T02:00',
  ])
  assert.deepEqual(paused([rule({ ...sunday, from: '01:00', to: '02:30' })], '2026-03-29T00:59:59Z'), [
    'rule',
    '2026-03-29T01:00',
    '2026-03-29T01:00',
  ])
  assert.deepEqual(paused([rule({ ...sunday, from: '01:00', to: '02:30' })], '2026-03-29T01:00:00Z')[0], undefined)
  // Wholly inside: not on this day, but a week later.
  const inside = [rule({ ...sunday, from: '02:15', to: '02:45' })]
  assert.deepEqual(paused(inside, '2026-03-29T00:00:00Z'), [undefined, undefined, '2026-04-05T00:15'])
})

test('on the day whose hour comes twice, a rule is in force once, from the first to the last', () => {
  const sunday = { days: ['sun'] }
  const inside = [rule({ ...sunday, from: '02:15', to: '02:45' })]
  assert.deepEqual(paused(inside, '2026-10-25T00:14:59Z'), [undefined, undefined, '2026-10-25T00:15'])
  assert.deepEqual(paused(inside, '2026-10-25T00:15:00Z'), ['rule', '2026-10-25T01:45', '2026-10-25T01:45'])
  assert.deepEqual(paused(inside, '2026-10-25T01:44:59Z')[0], 'rule')
  assert.deepEqual(paused(inside, '2026-10-25T01:45:00Z')[0], undefined)
  const ending = [rule({ ...sunday, from: '00:00', to: '02:30' })]
  assert.deepEqual(paused(ending, '2026-10-25T00:45:00Z'), ['rule', '2026-10-25T01:30', '2026-10-25T01:30'])
})

test('in another time zone the same rule is in force at other moments', () => {
  const rules = [rule({})]
  const at = (zone: string) => scheduleEffect(rules, state('2026-07-01T21:00:00Z', { zone: openZone(zone)! }))
  assert.equal(at('Europe/Berlin').pauses.length, 2)
  assert.equal(at('America/New_York').pauses.length, 0)
  assert.equal(minute(at('America/New_York').nextMs), '2026-07-02T02:00')
})

test('overlapping rules pause until the last ends; rules without a gap count as one', () => {
  const rules = [
    rule({ name: 'morning', from: '08:00', to: '12:00' }),
    rule({ name: 'noon', from: '11:00', to: '14:00' }),
    rule({ name: 'late', from: '14:00', to: '18:00', folder: 'docs' }),
  ]
  assert.deepEqual(paused(rules, '2026-07-01T07:00:00Z'), ['morning', '2026-07-01T16:00', '2026-07-01T09:00'])
  assert.deepEqual(paused(rules, '2026-07-01T07:00:00Z', 'photos'), ['morning', '2026-07-01T12:00', '2026-07-01T09:00'])
  const always = [rule({ from: '00:00', to: '24:00' })]
  assert.deepEqual(paused(always, '2026-07-01T07:00:00Z').slice(0, 2), ['rule', undefined], 'no end')
})

test('a rule is about a folder, a device, or all folders', () => {
  const at = (fields: Partial<NewScheduleRule>) =>
    scheduleEffect([rule(fields)], state('2026-07-01T21:00:00Z')).pauses.map(({ kind, id }) => `${kind} ${id}`)
  assert.deepEqual(at({}), ['folder docs', 'folder photos'])
  assert.deepEqual(at({ folder: 'photos' }), ['folder photos'])
  assert.deepEqual(at({ device: 'PHONE' }), ['device PHONE'])
})

test('of limits for the same the strictest counts; none is as configured', () => {
  const limit = (name: string, fields: Partial<NewScheduleRule>) => rule({ name, pause: false, ...fields })
  const at = (...rules: ScheduleRule[]) => scheduleEffect(rules, state('2026-07-01T21:00:00Z'))
  const two = at(limit('a', { maxSendKbps: 100 }), limit('b', { maxSendKbps: 50, maxRecvKbps: 0 }))
  assert.deepEqual(two.limits, { maxSendKbps: 50, maxRecvKbps: 0 })
  assert.deepEqual(at(limit('a', { maxSendKbps: 0 }), limit('b', { maxSendKbps: 7 })).limits.maxSendKbps, 7)
  const parts = at(limit('a', { maxRecvKbps: 9, folder: 'docs' }), limit('b', { maxSendKbps: 3, device: 'PHONE' }))
  assert.deepEqual(parts.limits, { maxSendKbps: null, maxRecvKbps: null })
  assert.deepEqual([...parts.folderLimits], [['docs', { maxSendKbps: null, maxRecvKbps: 9 }]])
  assert.deepEqual([...parts.deviceLimits], [['PHONE', { maxSendKbps: 3, maxRecvKbps: null }]])
  assert.deepEqual(scheduleEffect([limit('a', { maxSendKbps: 1 })], state('2026-07-01T12:00:00Z')).limits, {
    maxSendKbps: null,
    maxRecvKbps: null,
  })
})

test('a resume by hand holds until the pause ends, and the next one pauses again', () => {
  const rules = [rule({})]
  const before = scheduleEffect(rules, state('2026-07-01T21:00:00Z'))
  const target = { kind: 'folder', id: 'docs' } as const
  const untilMs = resumeUntil(before.pauses, target)!
  assert.equal(minute(untilMs), '2026-07-02T04:00')
  const resumed = [{ ...target, untilMs }]
  const ids = (time: string) => scheduleEffect(rules, state(time, { resumed })).pauses.map(({ id }) => id)
  assert.deepEqual(ids('2026-07-01T21:00:00Z'), ['photos'])
  assert.deepEqual(ids('2026-07-02T03:59:59Z'), ['photos'])
  assert.deepEqual(ids('2026-07-02T20:00:00Z'), ['docs', 'photos'])
})

test('folders pause on battery, with no end that is known; a rule has precedence', () => {
  const { pauses } = scheduleEffect([], state('2026-07-01T21:00:00Z', { onBattery: ['photos', 'gone'] }))
  assert.deepEqual(pauses, [{ kind: 'folder', id: 'photos', rule: undefined, untilMs: undefined }])
  const both = scheduleEffect([rule({})], state('2026-07-01T21:00:00Z', { onBattery: ['photos'] }))
  assert.deepEqual(
    both.pauses.map(({ rule: name }) => name),
    ['rule', 'rule'],
  )
})

test('between two edges nothing changes, whatever the rule, the zone and the moment', () => {
  const random = new SimRandom(testSeed())
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Casablanca']
  const number = (below: number) => random.int(below)
  const time = () => `${String(number(24)).padStart(2, '0')}:${String(number(60)).padStart(2, '0')}`
  for (let round = 0; round < 60; round++) {
    const [from, to] = [time(), time()]
    if (from === to) continue
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].filter(() => number(2) === 0)
    const rules = [rule({ from, to, days: days.length === 0 ? ['sun'] : days })]
    const zone = openZone(zones[number(zones.length)]!)!
    const nowMs = Date.UTC(2026, 0, 1) + number(365 * 24 * 60) * 60_000
    const at = (timeMs: number) => scheduleEffect(rules, { ...state('1970-01-01'), zone, nowMs: timeMs })
    const now = at(nowMs)
    const context = `${from} to ${to} on ${days} in ${zone.name} at ${new Date(nowMs).toISOString()}`
    assert.ok(now.nextMs !== undefined && now.nextMs > nowMs && now.nextMs <= nowMs + 15 * 86_400_000, context)
    const shape = ({ pauses }: typeof now) => pauses.map(({ id }) => id).join()
    for (const share of [0.25, 0.5, 0.999]) {
      const between: number = nowMs + Math.floor((now.nextMs - nowMs) * share)
      if (between < now.nextMs) assert.equal(shape(at(between)), shape(now), context)
    }
  }
})
