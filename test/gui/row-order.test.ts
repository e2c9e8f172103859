/** The order and the filters of lists of folders and devices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BY_NAME,
  gridRows,
  deviceKey,
  filterCounts,
  folderKey,
  orderedRows,
  type RowKey,
  type RowOrder,
} from '../../gui/view-model/row-order.ts'
import { arrangeRows, nextSort, withToggled } from '../../gui/view-model/table.ts'
import { LAPTOP } from '../support/config.ts'
import { liveState } from '../support/live-state.ts'

const row = (name: string, tone: RowKey['tone'], more: Partial<RowKey> = {}): RowKey => ({
  id: name,
  name,
  tone,
  group: '',
  bytes: 0,
  atMs: 0,
  ...more,
})
const ROWS = [
  row('photo 10', 'good', { bytes: 3 }),
  row('Zoo', 'bad', { bytes: 2 }),
  row('photo 9', 'busy', { bytes: 1 }),
  row('archive', 'paused', { atMs: 9 }),
  row('Ärger', 'wait'),
  row('nas', 'away'),
]

/** Names and headings. */
const shown = (rows: readonly RowKey[], order: Partial<RowOrder> = {}) =>
  orderedRows(rows, { filter: 'all', text: '', sort: BY_NAME, language: 'en', textOf: (name) => name, ...order }).map(
    (line) => ('row' in line ? line.row.name : `# ${line.heading} ${line.count}`),
  )

test('rows are sorted by name, numbers by value, and those with errors come first', () =>
  assert.deepEqual(shown(ROWS, { language: 'de' }), ['Zoo', 'archive', 'Ärger', 'nas', 'photo 9', 'photo 10']))

test('filters show rows by their state, the text by their name', () => {
  assert.deepEqual(shown(ROWS, { filter: 'attention' }), ['Zoo', 'Ärger'])
  assert.deepEqual(shown(ROWS, { filter: 'active' }), ['photo 9'])
  assert.deepEqual(shown(ROWS, { filter: 'offline' }), ['nas'])
  assert.deepEqual(shown(ROWS, { filter: 'paused' }), ['archive'])
  assert.deepEqual(shown(ROWS, { text: ' PHOTO ' }), ['photo 9', 'photo 10'])
  const counts = { all: 6, attention: 2, active: 1, offline: 1, upToDate: 1, paused: 1, unused: 0 }
  assert.deepEqual(filterCounts(ROWS), counts)
})

test('another column sorts in both directions, errors stay on top; by state there are groups', () => {
  const [name, first, second] = ['bytes', { column: 'bytes', descending: false }, { column: 'bytes', descending: true }]
  assert.deepEqual(nextSort(BY_NAME, name as 'name'), first)
  assert.deepEqual(nextSort(first, name), second)
  const byBytes = { column: 'bytes', descending: true } as const
  assert.deepEqual(shown(ROWS, { sort: byBytes }), ['Zoo', 'photo 10', 'photo 9', 'archive', 'Ärger', 'nas'])
  const byTime = { column: 'time', descending: true } as const
  assert.equal(shown(ROWS, { sort: byTime })[1], 'archive')
  assert.deepEqual(shown(ROWS, { sort: { column: 'state', descending: false } }), [
    'Zoo',
    '# attention 1',
    'Ärger',
    '# active 1',
    'photo 9',
    '# offline 1',
    'nas',
    '# upToDate 1',
    'photo 10',
    '# paused 1',
    'archive',
  ])
})

test('configured groups are headings; rows without one come first', () =>
  assert.deepEqual(
    shown([row('a', 'good', { group: 'Work' }), row('b', 'good'), row('c', 'good', { group: 'Work' })]),
    ['b', '# Work 2', 'a', 'c'],
  ))

test('rows of the same name keep their order', () => {
  const rows = [row('a', 'good', { id: '2' }), row('a', 'good', { id: '1' })]
  const lines = arrangeRows(rows, { compare: (one, other) => (one.id < other.id ? -1 : 1) })
  assert.deepEqual(lines, [{ row: rows[1] }, { row: rows[0] }])
})

const gridOf = (rows: readonly RowKey[], rowsMax: number) =>
  gridRows(rows, rowsMax, 'en').map((part) => [part.group, part.filter, part.rows.map(({ name }) => name)])

test('of many rows those that need no look are apart', () => {
  assert.deepEqual(gridOf(ROWS, 6), [])
  assert.deepEqual(gridOf(ROWS, 5), [
    ['', 'offline', ['nas']],
    ['', 'upToDate', ['photo 10']],
    ['', 'paused', ['archive']],
  ])
})

test('those are apart by group, too, in the order of the names of groups', () => {
  const rows = [
    row('photo 10', 'good', { group: 'Work' }),
    row('photo 9', 'good', { group: 'Work' }),
    row('tax', 'paused', { group: 'Work' }),
    row('zoo', 'good', { group: 'Home' }),
    row('a', 'good'),
    row('b', 'bad', { group: 'Home' }),
  ]
  assert.deepEqual(gridOf(rows, 5), [
    ['', 'upToDate', ['a']],
    ['Home', 'upToDate', ['zoo']],
    ['Work', 'upToDate', ['photo 9', 'photo 10']],
    ['Work', 'paused', ['tax']],
  ])
})

test('a selection is toggled', () => {
  assert.deepEqual(withToggled(new Set(['a']), 'b'), new Set(['a', 'b']))
  assert.deepEqual(withToggled(new Set(['a', 'b']), 'a'), new Set(['b']))
})

test('the keys of folders and devices have the tones of their states', () => {
  const state = liveState({
    devices: [{ id: LAPTOP, config: { name: 'laptop', group: 'Home' } }],
    folders: { a: { config: { paused: true, group: 'Work' }, status: { globalBytes: 7 } } },
  })
  assert.deepEqual(
    folderKey(state, state.config!.folders[0]!),
    row('A', 'paused', { id: 'a', group: 'Work', bytes: 7 }),
  )
  const laptop = row('laptop', 'away', { id: LAPTOP, group: 'Home' })
  assert.deepEqual(deviceKey(state, state.config!.devices[1]!), laptop)
})

test('the last change of a folder is one of this device or of another, whichever is later', () => {
  const state = liveState({ folders: { a: {} } })
  const lastFile = { at: '2026-11-15T12:00:00Z', filename: 'x', deleted: false }
  const folderStats = { a: { lastScan: '', lastFile } }
  const withLocal = (lastChange: string) => ({
    ...state,
    folderStats,
    folders: { a: { ...state.folders['a']!, lastChange } },
  })
  const at = (seen: typeof state) => new Date(folderKey(seen, seen.config!.folders[0]!).atMs).toISOString()
  assert.equal(at({ ...state, folderStats }), '2026-11-15T12:00:00.000Z')
  assert.equal(at(withLocal('2026-11-16T12:00:00Z')), '2026-11-16T12:00:00.000Z')
  assert.equal(at(withLocal('2026-11-14T12:00:00Z')), '2026-11-15T12:00:00.000Z')
})
