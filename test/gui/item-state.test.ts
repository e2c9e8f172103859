/** The states of items and devices, and the causes of errors: each combination. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAUSE_CODES, causeOf } from '../../src/core/remedies/cause.ts'
import { groupByCause } from '../../gui/view-model/cause.ts'
import { deviceFacts, type DeviceCode } from '../../gui/view-model/device.ts'
import { itemFacts, waitCode, waitingFacts } from '../../gui/view-model/item-state.ts'
import { textsOf } from '../../gui/i18n/texts-of.ts'
import { NO_SOURCE } from '../../src/model/state/sources.ts'
import { LAPTOP } from '../support/config.ts'
import { completion, liveState, type StateSketch } from '../support/live-state.ts'

const TYPES = ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted'] as const
const STATES = ['here', 'older', 'missing', 'extra', 'ignored', 'deleted', 'unknown'] as const

for (const type of TYPES) {
  for (const paused of [false, true]) {
    test(`items of a ${type} folder${paused ? ', paused' : ''}: state, and whether they can be first`, () => {
      for (const state of STATES) {
        for (const deleted of [false, true]) {
          for (const isFile of [false, true]) {
            const { code, mayPrioritize } = itemFacts({ state, deleted, isFile }, { type, paused })
            const isNeeded = state === 'older' || state === 'missing'
            const expected =
              isNeeded && type === 'sendonly' ? 'differs' : state === 'older' && deleted ? 'toDelete' : state
            assert.equal(code, expected)
            assert.equal(mayPrioritize, isNeeded && isFile && !deleted && !paused && type !== 'sendonly')
          }
        }
      }
    })
  }
}

test('an item of the queue that only lacks a source is no failure, and cannot be first', () => {
  const running = { type: 'sendreceive', paused: false } as const
  const item = (code: 'failed' | 'queued' | 'downloading', cause?: string) =>
    ({
      action: 'download',
      stage: 'queued',
      reason: { code, text: '', ...(cause !== undefined && { cause }) },
    }) as const
  assert.deepEqual(waitingFacts(item('failed', NO_SOURCE), running), { tone: 'away', mayPrioritize: false })
  assert.deepEqual(waitingFacts(item('failed', 'EIO'), running), { tone: 'bad', mayPrioritize: true })
  assert.deepEqual(waitingFacts(item('queued'), running), { tone: 'wait', mayPrioritize: true })
  assert.equal(waitingFacts(item('queued'), { ...running, type: 'sendonly' }).mayPrioritize, false)
  assert.equal(waitingFacts(item('queued'), { ...running, paused: true }).mayPrioritize, false)
  assert.equal(waitingFacts({ ...item('downloading'), stage: 'downloading' }, running).mayPrioritize, false)
  assert.equal(waitCode({ code: 'failed', cause: NO_SOURCE }), 'no-device')
})

const SEEN = { [LAPTOP]: { lastSeen: '2026-01-01T00:00:00Z', lastConnectionDurationS: 1 } }
const behind = { a: { completion: { [LAPTOP]: completion({ needItems: 2 }) } } }
const DEVICES: readonly [DeviceCode, StateSketch, tone: string][] = [
  ['paused', { devices: [{ id: LAPTOP, connected: true, config: { paused: true } }], folders: behind }, 'paused'],
  ['never', { devices: [{ id: LAPTOP }], folders: { a: {} } }, 'away'],
  ['never', { devices: [{ id: LAPTOP }], folders: behind }, 'away'], // nothing can be behind that was never there
  ['sharesNothing', { devices: [{ id: LAPTOP, connected: true }] }, 'off'],
  [
    'notAccepted',
    {
      devices: [{ id: LAPTOP, connected: true }],
      folders: { a: { completion: { [LAPTOP]: completion({ remoteState: 'notSharing', needItems: 9 }) } } },
    },
    'wait',
  ],
  ['syncing', { devices: [{ id: LAPTOP, connected: true }], folders: behind }, 'busy'],
  [
    'upToDate',
    {
      devices: [{ id: LAPTOP, connected: true }],
      folders: { a: { completion: { [LAPTOP]: completion() } }, b: { config: { paused: true } } },
    },
    'good',
  ],
]

for (const [code, sketch, tone] of DEVICES) {
  test(`device state: ${code}`, () => {
    const facts = deviceFacts(liveState(sketch), LAPTOP)
    assert.deepEqual([facts.code, facts.tone], [code, tone])
  })
}

test('device state: offline, seen before', () => {
  const state = { ...liveState({ devices: [{ id: LAPTOP }], folders: { a: {} } }), deviceStats: SEEN }
  assert.deepEqual([deviceFacts(state, LAPTOP).code, deviceFacts(state, LAPTOP).tone], ['offline', 'away'])
  const late = { ...liveState({ devices: [{ id: LAPTOP }], folders: behind }), deviceStats: SEEN }
  assert.deepEqual([deviceFacts(late, LAPTOP).code, deviceFacts(late, LAPTOP).tone], ['offlineBehind', 'away'])
})

test('errors are grouped by cause, the largest first; items without a source come last', () => {
  const problems = [
    ...Array.from({ length: 5 }, (_, at) => ({ path: `s${at}`, error: NO_SOURCE })),
    { path: 'a', error: 'EACCES: permission denied' },
    { path: 'b', error: 'ENOSPC: no space left on device, write' },
    { path: 'c', error: 'ENOSPC: no space left on device, write' },
  ]
  const groups = groupByCause(problems).map(({ code, problems: { length } }) => [code, length])
  assert.deepEqual(groups, [
    ['full', 2],
    ['permission', 1],
    ['noSource', 5],
  ])
  assert.equal(causeOf('EIO: i/o error, read'), 'io')
})

test('every cause has a text and a remedy in five languages', () => {
  for (const language of ['en', 'de', 'es', 'fr', 'zh']) {
    const texts = textsOf(language)
    for (const code of CAUSE_CODES) assert.ok(texts[`cause.${code}`] && texts[`remedy.${code}`], `${language} ${code}`)
  }
})
