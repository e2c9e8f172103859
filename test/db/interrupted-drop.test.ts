import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryDatabases } from '../../src/db/sqlite/memory-databases.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { settle } from '../support/model.ts'
import { allRecords, DEVICES, file, FOLDER, openTestStore } from './records.ts'

const PEER = DEVICES[0]!
/** More than one step removes. */
const RECORDS = 1_200

test('index: after an interruption while a device is dropped, its whole index is requested again', async () => {
  const memory = new MemoryDatabases()
  const index = await (await openTestStore(undefined, { memory, clock: new SimClock() })).folder(FOLDER)
  await index.records.updateRemote(
    PEER,
    Array.from({ length: RECORDS }, (_, i) => file(`f${i}`, { sequence: i + 1 })),
  )
  void index.records.dropDevice(PEER) // its next step waits for the clock
  await settle()
  await using again = await openTestStore(undefined, { memory: memory.copy() })
  const restarted = await again.folder(FOLDER)
  const left = await allRecords(restarted, PEER)
  assert.ok(left.length > 0 && left.length < RECORDS, `${left.length} records are left`)
  assert.equal(await restarted.exchange.sequence(PEER), 0)
})
