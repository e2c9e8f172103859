import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFolderId, type DeviceId } from '../../src/core/ids.ts'
import type { KeyValue } from '../../src/db/types.ts'
import type { Logger } from '../../src/events/types.ts'
import { Statistics } from '../../src/stats/stats.ts'

const FOLDER = parseFolderId('docs')!
const DEVICE = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2' as DeviceId

function make() {
  const values = new Map<string, Uint8Array>()
  const state = { failing: false }
  const guard = () => {
    if (state.failing) throw new Error('disk full')
  }
  const keyValue: KeyValue = {
    get: async (key) => (guard(), values.get(key)),
    set: async (key, value) => (guard(), void values.set(key, value)),
    delete: async (key) => (guard(), void values.delete(key)),
    list: async (prefix) => [...values].filter(([key]) => key.startsWith(prefix)),
  }
  const warnings: string[] = []
  const log: Logger = {
    facility: 'stats',
    debug: (line) => void line(),
    info: () => {},
    warn: (line) => warnings.push(line),
    error: () => {},
  }
  return { values, state, warnings, open: () => new Statistics({ keyValue, log }) }
}

test('the last activity of a folder persists across a restart', async () => {
  const { open } = make()
  await open().received(FOLDER, { filename: 'a/b.txt', deleted: true, atMs: 5 })
  await open().scanned(FOLDER, 7)
  assert.deepEqual(await open().folder(FOLDER), {
    lastFile: { atMs: 5, filename: 'a/b.txt', deleted: true },
    lastScanMs: 7,
  })
})

test('of frequent scans each is reported and few are written', async () => {
  const { open, values } = make()
  const statistics = open()
  let writes = 0
  const set = values.set.bind(values)
  values.set = (key, value) => (writes++, set(key, value))
  for (let atMs = 5_000; atMs < 7_000; atMs += 10) {
    await statistics.scanned(FOLDER, atMs)
    assert.equal((await statistics.folder(FOLDER)).lastScanMs, atMs)
  }
  assert.equal(writes, 2)
  await statistics.scanned(FOLDER, 10) // the clock was set back
  assert.equal((await open().folder(FOLDER)).lastScanMs, 10)
})

test('an unknown folder and an unknown device have zeros', async () => {
  const { open } = make()
  assert.deepEqual(await open().folder(FOLDER), { lastFile: { atMs: 0, filename: '', deleted: false }, lastScanMs: 0 })
  assert.deepEqual(await open().device(DEVICE), { lastSeenMs: 0, lastConnectionMs: 0 })
})

test('when a device was last seen, and for how long, persists across a restart', async () => {
  const { open } = make()
  await open().seen(DEVICE, 10)
  assert.deepEqual(await open().device(DEVICE), { lastSeenMs: 10, lastConnectionMs: 0 })
  await open().disconnected(DEVICE, { atMs: 20, connectedMs: 10 })
  await open().seen(DEVICE, 30)
  assert.deepEqual(await open().device(DEVICE), { lastSeenMs: 30, lastConnectionMs: 10 })
})

test('the statistics of a removed folder are deleted', async () => {
  const { open, values } = make()
  await open().scanned(FOLDER, 7)
  await open().deleteFolder(FOLDER)
  assert.equal(values.size, 0)
})

test('invalid data in the store counts as absent', async () => {
  for (const garbage of [
    '',
    'null',
    '[]',
    '{"lastScanMs":"x","lastFile":7}',
    '{"lastFile":{"filename":3}}',
    '\u0000',
  ]) {
    const { open, values } = make()
    values.set(`stats/folder/${FOLDER}`, new TextEncoder().encode(garbage))
    assert.equal((await open().folder(FOLDER)).lastScanMs, 0, garbage)
  }
})

test('a failing store affects only the statistics', async () => {
  const { open, state, warnings } = make()
  state.failing = true
  const statistics = open()
  await statistics.scanned(FOLDER, 7)
  await statistics.folder(FOLDER)
  assert.ok(warnings.length > 0)
  assert.match(warnings[0] ?? '', /disk full/)
})
