import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionEntries } from '../../gui/view-model/attention.ts'
import { overallStatus } from '../../gui/view-model/overall-status.ts'
import { parseDeviceId } from '../../src/core/device-id.ts'
import { liveState } from '../support/live-state.ts'

const LAPTOP = parseDeviceId('P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2')
const LOSS = { since: '2026-11-17T20:00:00Z', deletions: 3_412, truncations: 0 } as const

test('a held loss is the first entry and part of the headline, with the numbers of its buttons', () => {
  const state = liveState({
    folders: { docs: {} },
    devices: [{ id: LAPTOP, connected: true, config: { name: 'laptop' } }],
  })
  const docs = state.folders['docs']!
  const guard = { held: [{ ...LOSS, origin: LAPTOP, side: 'remote' as const }], notices: [] }
  const held = { ...state, folders: { docs: { ...docs, guard } } }
  const [entry] = attentionEntries(held)
  assert.deepEqual(entry?.remedy, {
    kind: 'guard',
    loss: 'remote',
    folder: 'docs',
    files: 3_412,
    since: LOSS.since,
    devices: 1,
    device: LAPTOP,
    deviceName: 'laptop',
  })
  const [part] = overallStatus(held).parts
  assert.deepEqual([part?.key, part?.values, part?.tone], ['status.held', { n: 3_412 }, 'bad'])
  assert.equal(attentionEntries(state).length, 0)
})

test('what was noticed and not held is an entry, and not in the headline', () => {
  const state = liveState({ folders: { docs: {} }, devices: [{ id: LAPTOP, connected: true }] })
  const docs = state.folders['docs']!
  const notices = [{ ...LOSS, origin: 'local', kind: 'rewritten' as const }]
  const noticed = { ...state, folders: { docs: { ...docs, guard: { held: [], notices } } } }
  assert.deepEqual(attentionEntries(noticed)[0]?.title, { key: 'guard.rewritten', values: { n: 3_412, device: '' } })
  assert.notEqual(overallStatus(noticed).parts[0]?.key, 'status.held')
})
