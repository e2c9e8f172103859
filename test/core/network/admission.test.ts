import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  admit,
  connectionPriority,
  isReplaced,
  isConnectionWanted,
  ownWanted,
  wantedConnections,
  type ConnectionCandidate,
  type ExistingConnections,
} from '../../../src/core/network/admission.ts'
import { afterLoss, NO_REDIALS, planDials, retryDelayMs } from '../../../src/core/network/dial-plan.ts'
import type { DeviceConfig, OptionsConfig } from '../../../src/core/config/config.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { configOf, deviceConfig, idOf, simIdentity } from '../../connections/machines.ts'

const OWN = idOf(simIdentity('own'))
const PEER = idOf(simIdentity('peer'))
const UNKNOWN = idOf(simIdentity('unknown'))

const wanted: [own: number, peer: number | undefined, expected: number][] = [
  [0, undefined, 1],
  [0, 0, 1],
  [0, 1, 1],
  [0, 2, 3],
  [0, 5, 5],
  [1, 5, 1],
  [-3, 5, 1],
  [2, 2, 2],
  [5, 3, 5],
  [200, 3, 128],
  [3, 200, 128],
]
for (const [own, peer, expected] of wanted) {
  test(`numConnections ${own} here, ${peer} there: ${expected}`, () =>
    assert.equal(wantedConnections(ownWanted(own), peer), expected))
}

interface Case {
  readonly candidate?: Partial<ConnectionCandidate>
  readonly present?: Partial<ExistingConnections>
  readonly device?: Partial<DeviceConfig>
  readonly options?: Partial<OptionsConfig>
  readonly ignored?: DeviceId
}

function judge({ candidate, present, device, options, ignored }: Case): string {
  const config = configOf(OWN, [deviceConfig(PEER, device)], options)
  const remoteIgnoredDevices = ignored === undefined ? [] : [{ deviceID: ignored, time: '', name: '', address: '' }]
  const admission = admit(
    { ...config, remoteIgnoredDevices },
    OWN,
    { device: PEER, certificateCount: 1, host: '10.0.0.1', priority: 10, expected: undefined, ...candidate },
    { priorities: [], wanted: 1, wantedMax: present?.wanted ?? 1, totalCount: 0, ...present },
  )
  return admission.kind === 'refused' ? admission.reason : admission.kind
}

const cases: [what: string, given: Case, expected: string | RegExp][] = [
  ['a configured device', {}, 'known'],
  ['the dialled device', { candidate: { expected: PEER } }, 'known'],
  ['another device than dialled', { candidate: { device: UNKNOWN, expected: PEER } }, /^wrong device: /],
  ['an unknown device', { candidate: { device: UNKNOWN } }, 'unknown'],
  ['an ignored device', { candidate: { device: UNKNOWN }, ignored: UNKNOWN }, /ignored/],
  ['ourselves', { candidate: { device: OWN } }, /itself/],
  ['two certificates', { candidate: { certificateCount: 2 } }, /2 certificates/],
  ['two certificates of an unknown device', { candidate: { device: UNKNOWN, certificateCount: 2 } }, /2 certificates/],
  ['a paused device', { device: { paused: true } }, /paused/],
  ['from a wrong network', { device: { allowedNetworks: ['192.168.0.0/16'] } }, /network/],
  ['one more than wanted', { present: { priorities: [10] } }, /already/],
  ['one more of three', { present: { priorities: [10, 10], wanted: 3 } }, 'known'],
  ['an incoming one before its number is known', { present: { priorities: [10], wantedMax: 2 } }, 'known'],
  [
    'a dialled one before its number is known',
    { candidate: { expected: PEER }, present: { priorities: [10], wantedMax: 2 } },
    /already/,
  ],
  [
    'an incoming one before its number is known, above the limit',
    { present: { priorities: [10], wantedMax: 2, totalCount: 5 }, options: { connectionLimitMax: 5 } },
    /allows/,
  ],
  ['a better one', { present: { priorities: [30] } }, 'known'],
  ['a better one than the worst', { present: { priorities: [10, 30], wanted: 2 } }, 'known'],
  ['a worse one', { candidate: { priority: 30 }, present: { priorities: [10] } }, /already/],
  [
    'a worse one where more are wanted',
    { candidate: { priority: 30 }, present: { priorities: [10], wanted: 2 } },
    'known',
  ],
  [
    'a better one, not by enough',
    { present: { priorities: [30] }, options: { connectionPriorityUpgradeThreshold: 20 } },
    /already/,
  ],
  [
    'a better one, by enough',
    { present: { priorities: [31] }, options: { connectionPriorityUpgradeThreshold: 20 } },
    'known',
  ],
  ['above the limit of all connections', { present: { totalCount: 5 }, options: { connectionLimitMax: 5 } }, /allows/],
  ['below the limit', { present: { totalCount: 4 }, options: { connectionLimitMax: 5 } }, 'known'],
  [
    'a better one at the limit',
    { present: { totalCount: 5, priorities: [30] }, options: { connectionLimitMax: 5 } },
    'known',
  ],
  [
    'connectionLimitEnough does not limit incoming connections',
    { present: { totalCount: 5 }, options: { connectionLimitEnough: 5 } },
    'known',
  ],
]
for (const [what, given, expected] of cases) {
  test(`admission: ${what}`, () => {
    if (typeof expected === 'string') assert.equal(judge(given), expected)
    else assert.match(judge(given), expected)
  })
}

test('the priorities of the spec', () => {
  const { options } = configOf(OWN, [])
  const shown = (['tcp', 'quic', 'relay'] as const).map((transport) => [
    connectionPriority(options, transport, true),
    connectionPriority(options, transport, false),
  ])
  assert.deepEqual(shown, [
    [10, 30],
    [20, 40],
    [50, 50],
  ])
})

test('invariant: a connection accepted as better replaces at least one other, and never itself', () => {
  const priority = fc.integer({ min: 0, max: 50 })
  fc.assert(
    fc.property(
      fc.array(priority, { minLength: 1, maxLength: 5 }),
      priority,
      fc.integer({ min: 0, max: 30 }),
      (priorities, added, threshold) => {
        const welcome = isConnectionWanted(added, { priorities, wanted: priorities.length }, threshold)
        assert.equal(
          welcome,
          priorities.some((one) => isReplaced(one, added, threshold)),
        )
        assert.equal(isReplaced(added, added, threshold), false)
      },
    ),
  )
})

test('dials: due addresses only, the best group first, none that would be refused', () => {
  const tcp = { transport: 'tcp' } as const
  const candidates = [
    { text: 'relay', priority: 50, transport: 'relay' } as const,
    { text: 'wan', priority: 30, ...tcp },
    { text: 'lan', priority: 10, ...tcp },
    { text: 'lan2', priority: 10, ...tcp },
    { text: 'later', priority: 10, ...tcp },
  ]
  const recordOf = (text: string) => (text === 'later' ? { dueMs: 101, failures: 0 } : undefined)
  const plan = (priorities: number[], planned = 1) =>
    planDials(candidates, recordOf, { priorities, wanted: planned }, { nowMs: 100, threshold: 0 }).map((group) =>
      group.map(({ text }) => text),
    )
  assert.deepEqual(plan([]), [['lan', 'lan2'], ['wan'], ['relay']])
  assert.deepEqual(plan([50]), [['lan', 'lan2'], ['wan']])
  assert.deepEqual(plan([30]), [['lan', 'lan2']])
  assert.deepEqual(plan([10]), [])
  assert.deepEqual(plan([10], 2), [['lan', 'lan2'], ['wan']]) // a relay adds nothing to a connection
  assert.deepEqual(plan([50], 2), [['lan', 'lan2'], ['wan']])
})

test('dials of one group: what worked and was fast first, what failed often last', () => {
  const records = {
    slow: { dueMs: 0, failures: 0, latencyMs: 80 },
    fast: { dueMs: 0, failures: 0, latencyMs: 8 },
    bad: { dueMs: 0, failures: 3 },
  }
  const candidates = ['bad', 'new', 'slow', 'fast'].map((text) => ({ text, priority: 10, transport: 'tcp' }) as const)
  const [group] = planDials(
    candidates,
    (text) => (Object.hasOwn(records, text) ? records[text as keyof typeof records] : undefined),
    { priorities: [], wanted: 1 },
    { nowMs: 0, threshold: 0 },
  )
  assert.deepEqual(
    group?.map(({ text }) => text),
    ['fast', 'slow', 'new', 'bad'],
  )
})

test('the retry delay of an address grows up to the interval, and is at least five seconds', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 1_000].map((failures) => retryDelayMs(failures, 20)),
    [5_000, 5_000, 5_000, 8_000, 16_000, 20_000, 20_000],
  )
  assert.equal(retryDelayMs(9, 0), 5_000)
})

test('at most three immediate redials in two minutes, then none for five minutes', () => {
  let redials = NO_REDIALS
  const lose = (nowMs: number) => {
    const after = afterLoss(redials, nowMs)
    redials = after.redials
    return after.atOnce
  }
  assert.deepEqual([lose(0), lose(1_000), lose(2_000), lose(3_000)], [true, true, true, false])
  assert.deepEqual([lose(120_000), lose(302_999)], [false, false])
  assert.deepEqual([lose(303_000), lose(303_001)], [true, true])
  assert.deepEqual([lose(423_001), lose(423_002), lose(423_003), lose(423_004)], [true, true, true, false])
})

test('a redial counts for two minutes, to the millisecond', () => {
  const after = (...timesMs: readonly number[]) =>
    timesMs.reduce<ReturnType<typeof afterLoss>>((last, atMs) => afterLoss(last.redials, atMs), {
      redials: NO_REDIALS,
      atOnce: true,
    }).atOnce
  assert.equal(after(0, 1, 2, 119_999), false)
  assert.equal(after(0, 1, 2, 120_000), true)
})
