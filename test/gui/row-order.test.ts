/** The order and the filters of lists of folders and devices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceKey, filterCounts, folderKey, orderedRows, type RowKey } from '../../gui/facts/row-order.ts'
import { LAPTOP } from '../support/config.ts'
import { liveState } from '../support/live-state.ts'

const row = (name: string, tone: RowKey['tone'], id = name): RowKey => ({ id, name, tone })
const ROWS = [
  row('photo 10', 'good'),
  row('Zoo', 'bad'),
  row('photo 9', 'busy'),
  row('archive', 'off'),
  row('Ärger', 'wait'),
  row('nas', 'away'),
]

test('rows are sorted by name, numbers by value, and those with errors come first', () =>
  assert.deepEqual(orderedRows(ROWS, 'all', '', 'de'), ['Zoo', 'archive', 'Ärger', 'nas', 'photo 9', 'photo 10']))

test('filters show rows by their state, the text by their name', () => {
  assert.deepEqual(orderedRows(ROWS, 'attention', '', 'en'), ['Zoo', 'Ärger'])
  assert.deepEqual(orderedRows(ROWS, 'active', '', 'en'), ['photo 9'])
  assert.deepEqual(orderedRows(ROWS, 'offline', '', 'en'), ['nas'])
  assert.deepEqual(orderedRows(ROWS, 'paused', '', 'en'), ['archive'])
  assert.deepEqual(orderedRows(ROWS, 'all', ' PHOTO ', 'en'), ['photo 9', 'photo 10'])
  assert.deepEqual(filterCounts(ROWS), { all: 6, attention: 2, active: 1, offline: 1, paused: 1 })
})

test('rows of the same name keep their order', () =>
  assert.deepEqual(orderedRows([row('a', 'good', '2'), row('a', 'good', '1')], 'all', '', 'en'), ['1', '2']))

test('the keys of folders and devices have the tones of their states', () => {
  const state = liveState({
    devices: [{ id: LAPTOP, config: { name: 'laptop' } }],
    folders: { a: { config: { paused: true } } },
  })
  assert.deepEqual(folderKey(state, state.config!.folders[0]!), row('A', 'off', 'a'))
  assert.deepEqual(deviceKey(state, state.config!.devices[1]!), row('laptop', 'away', LAPTOP))
})
