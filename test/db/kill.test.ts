import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execPath } from 'node:process'
import { test } from 'node:test'
import type { FolderIndex } from '../../src/db/types.ts'
import { effort, reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { localBatch, remoteBatch } from './kill-batches.ts'
import { allRecords, DEVICES, FOLDER, openTestStore, textOf } from './records.ts'

/** Runs the writer and kills it after `lines` lines plus `delayMs`; returns the last batches it reported. */
async function runAndKill(
  directory: string,
  lines: number,
  delayMs: number,
): Promise<{ local: number; remote: number }> {
  const child = spawn(execPath, [join(import.meta.dirname, 'kill-child.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const reported = { local: -1, remote: -1 }
  let seen = 0
  for await (const line of createInterface(child.stdout)) {
    const [what, number] = line.split(' ')
    if (what === 'open') assert.equal(number, '0', 'no database needed recovery')
    if (what === 'local' || what === 'remote') reported[what] = Number(number)
    // The delay moves the kill to any point of the batch that is being written.
    if (++seen === lines) setTimeout(() => child.kill('SIGKILL'), delayMs)
  }
  await ended
  return reported
}

async function assertCompleteBatches(index: FolderIndex, reported: { local: number; remote: number }): Promise<void> {
  const size = localBatch(0).length
  const sequence = await index.exchange.sequence('local')
  assert.equal(sequence % size, 0, 'a batch is stored completely or not at all')
  const batches = sequence / size
  assert.ok(batches > reported.local, `batch ${reported.local} was reported, ${batches} are stored`)
  const expected = new Map(
    Array.from({ length: batches }, (_, n) => localBatch(n))
      .flat()
      .map((info) => [info.name, info]),
  )
  const records = await allRecords(index, 'local', 1000)
  assert.equal(records.length, expected.size)
  for (const head of records) {
    const info = await index.records.get('local', head.name)
    assert.equal(textOf(info), textOf({ ...expected.get(head.name)!, sequence: head.sequence }))
  }
  const remote = await allRecords(index, DEVICES[0]!, 1000)
  assert.equal(remote.length % remoteBatch(0).length, 0)
  assert.ok(remote.length / remoteBatch(0).length > reported.remote)
  const { local, need } = await index.needs.counts()
  assert.equal(local.files, records.length)
  assert.equal(
    local.bytes,
    records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  )
  assert.equal(need.files, (await index.needs.need({ offset: 0, limit: 1e6 })).length)
}

test('index: after a kill during a write it holds complete batches, including all reported ones', async () => {
  using scratch = scratchDirectory()
  const kills = effort(5, 10)
  for (let kill = 0; kill < kills; kill++) {
    const reported = await runAndKill(scratch.path, 1 + ((kill * 5) % 13), (kill * 3) % 17)
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.deepEqual(store.recoveries, [])
    // Half of the kills are followed by another one without a clean shutdown in between.
    if (kill % 2 === 0) await assertCompleteBatches(index, reported)
  }
  reportRow({ id: 'C-02', tried: kills, part: 'index' })
})
