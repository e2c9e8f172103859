/** W-20: whatever texts, keys and numbers replies and events have, the page computes its state and texts from them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { attentionCounts, attentionEntries } from '../../gui/view-model/attention.ts'
import { changeOf } from '../../gui/view-model/changes.ts'
import { deviceFacts, deviceNameById } from '../../gui/view-model/device.ts'
import { folderState } from '../../gui/view-model/folder-state.ts'
import { overallStatus } from '../../gui/view-model/overall-status.ts'
import { deviceRequestsOf, offersOf } from '../../gui/view-model/pending.ts'
import { deviceKey, folderKey, orderedRows, BY_NAME } from '../../gui/view-model/row-order.ts'
import { setupSteps, showsSetup } from '../../gui/view-model/setup.ts'
import { PAGE_EVENT_TYPES, pageEvent } from '../../gui/live/event-types.ts'
import { applySummary } from '../../gui/live/load.ts'
import { applyEvent, applyPulse, reloadsFor } from '../../gui/live/reduce.ts'
import type { LiveState } from '../../gui/live/state.ts'
import { Store } from '../../gui/base/store.ts'
import { visibleName } from '../../gui/base/visible-name.ts'
import { EVENT_DATA, type EventJson } from '../../src/rest/event-data.ts'
import { CONFLICT_COUNTS } from '../../src/rest/conflicts.ts'
import { PULSE, SUMMARY, type PulseJson, type SummaryJson } from '../../src/rest/twinfold.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../support/config.ts'
import { casesOf } from '../support/effort.ts'
import { HOSTILE_TEXTS, hostileReply } from '../support/hostile-reply.ts'
import { liveState } from '../support/live-state.ts'

const FOLDERS = ['a', '__proto__', 'constructor']
const KEYS = [...FOLDERS, LOCAL_ID, LAPTOP, SERVER, 'idle', 'error', '2026-11-16T12:00:00Z']
const NUM_RUNS = casesOf(200, 20_000)

const summaries = hostileReply(SUMMARY, KEYS) as fc.Arbitrary<SummaryJson>
const pulses = hostileReply(PULSE, KEYS) as fc.Arbitrary<PulseJson>
const conflicts = hostileReply(CONFLICT_COUNTS, KEYS) as fc.Arbitrary<LiveState['conflicts']>
const START = liveState({
  devices: [
    { id: LAPTOP, connected: true, config: { name: HOSTILE_TEXTS[0] } },
    { id: SERVER, config: { name: HOSTILE_TEXTS[9] } },
  ],
  folders: Object.fromEntries(FOLDERS.map((id) => [id, { config: { label: HOSTILE_TEXTS[1] } }])),
})

const dataOf = (type: (typeof PAGE_EVENT_TYPES)[number]) =>
  type === 'ConfigSaved' ? fc.constant(START.config) : hostileReply(EVENT_DATA[type], KEYS)
const events = fc.oneof(
  ...PAGE_EVENT_TYPES.map((type) =>
    dataOf(type).map((data) => ({ id: 1, globalID: 1, time: '', type, data }) as EventJson),
  ),
)

function stateAfter(summary: SummaryJson, pulse: PulseJson, list: readonly EventJson[]): LiveState {
  const loaded = applyPulse(applySummary(START, summary), pulse)
  return list.map(pageEvent).reduce((state, event) => (event === undefined ? state : applyEvent(state, event)), loaded)
}

/** Everything that the pages render of a state, as far as it is computed without a browser. */
function derive(state: LiveState): readonly unknown[] {
  const { folders = [], devices = [] } = state.config ?? {}
  const keys = [
    ...folders.map((folder) => folderKey(state, folder)),
    ...devices.map((device) => deviceKey(state, device)),
  ]
  const order = { filter: 'all', text: 'x', sort: BY_NAME, language: 'en', textOf: (name: string) => name } as const
  return [
    overallStatus(state),
    attentionEntries(state),
    attentionCounts(state),
    folders.map((folder) => folderState(state, folder)),
    devices.map(({ deviceID }) => [deviceFacts(state, deviceID), deviceNameById(state, deviceID)]),
    deviceRequestsOf(state),
    offersOf(state),
    orderedRows(keys, order),
    showsSetup(state, '') && setupSteps(state, undefined),
  ]
}

test('W-20: state, headline and inbox are computed from any summary, pulse and events', () => {
  fc.assert(
    fc.property(summaries, pulses, conflicts, fc.array(events, { maxLength: 8 }), (summary, pulse, counts, list) => {
      const state = { ...stateAfter(summary, pulse, list), conflicts: counts }
      assert.equal(derive(state).length, 9)
      for (const event of list) assert.ok(Array.isArray(reloadsFor(event as Parameters<typeof reloadsFor>[0])))
      assert.equal(({} as Record<string, unknown>)['status'], undefined, 'the prototype of objects is unchanged')
    }),
    { numRuns: NUM_RUNS },
  )
})

const changes = fc
  .tuple(
    fc.constantFrom('LocalChangeDetected' as const, 'RemoteChangeDetected' as const),
    fc.constantFrom(...HOSTILE_TEXTS),
  )
  .chain(([type, time]) =>
    hostileReply(EVENT_DATA[type], KEYS).map((data) => ({ id: 1, globalID: 1, time, type, data }) as EventJson),
  )

test('W-20: a change of any file is a line of the list, or none', () => {
  fc.assert(
    fc.property(changes, (event) => {
      const change = changeOf(event)
      assert.ok(change === undefined || typeof change.path === 'string')
    }),
    { numRuns: NUM_RUNS },
  )
})

test('W-20: no name has hidden characters when it is shown', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      assert.doesNotMatch(visibleName(name), /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/u)
    }),
    { numRuns: NUM_RUNS },
  )
})

test('W-20: a state that one listener cannot use reaches all others', () => {
  const store = new Store(0)
  const seen: number[] = []
  store.subscribe(() => {
    throw new Error('unusable')
  })
  store.subscribe(() => seen.push(store.get()))
  assert.throws(() => store.set(1), /unusable/)
  assert.deepEqual(seen, [1])
})
