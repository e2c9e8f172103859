/** How folders share a connection: by priority, and none starves; and how fast a folder may be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { mayPullBeside, mayRequest } from '../../../src/core/records/pull-shares.ts'
import type { DeviceId, FolderId } from '../../../src/core/ids.ts'
import { NEVER } from '../../../src/core/never.ts'
import { FolderRates } from '../../../src/model/state/folder-rates.ts'
import { PullShares } from '../../../src/model/state/pull-shares.ts'
import { NO_SOURCES, type Sources } from '../../../src/model/state/sources.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import type { BlockRequest } from '../../../src/protocol/types.ts'

const [HIGH, LOW] = ['high', 'low'] as FolderId[] as [FolderId, FolderId]
const BLOCK_MS = 100
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

/** A device that sends one block after the other, in the order of the requests. */
function slowDevice(clock: SimClock): { readonly sources: Sources; readonly sent: string[] } {
  const sent: string[] = []
  let last = Promise.resolve()
  const request: Sources['request'] = async (_, { folder }) => {
    last = last.then(() => clock.sleep(BLOCK_MS, NEVER))
    await last
    sent.push(folder)
    return new Uint8Array()
  }
  return { sources: { ...NO_SOURCES, request }, sent }
}

const blockOf = (folder: FolderId) => ({ folder, sizeBytes: 1_024 * 1_024 }) as unknown as BlockRequest

async function download(priorities: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const clock = new SimClock()
  const { sources, sent } = slowDevice(clock)
  const shares = new PullShares(clock, (folder) => priorities[folder] ?? 0)
  using _low = shares.pull(LOW)
  using _high = shares.pull(HIGH)
  // Eight requests in flight each; the one with the lower priority begins.
  const all = [LOW, HIGH].flatMap((folder) => {
    const limited = shares.limit(folder, sources)
    return Array.from({ length: 8 }, async () => {
      for (let block = 0; block < 5; block++) await limited.request('D' as DeviceId, blockOf(folder), NEVER)
    })
  })
  await clock.advance(60_000, settle)
  await Promise.all(all)
  return sent
}

test('a folder with a higher priority finishes first, and the other still progresses', async () => {
  const sent = await download({ high: 10 })
  const end = sent.lastIndexOf(HIGH)
  const lowBefore = sent.slice(0, end).filter((folder) => folder === LOW).length
  assert.ok(lowBefore >= 9 && lowBefore <= 20, `${lowBefore} blocks of the other before it was finished`)
  assert.equal(sent.length, 80)
  // Without priorities both get the same share, so the one that began ends first.
  assert.equal((await download({})).lastIndexOf(HIGH), 79)
})

test('a folder that has been quiet for a second holds nothing back', () => {
  const low = { priority: 0, inFlight: 1, lastMs: 0 }
  assert.equal(mayRequest(low, [{ priority: 1, inFlight: 0, lastMs: 1_000 }], 1_999), false)
  assert.equal(mayRequest(low, [{ priority: 1, inFlight: 0, lastMs: 1_000 }], 2_000), true)
  assert.equal(mayRequest(low, [{ priority: 0, inFlight: 9, lastMs: 1_000 }], 1_000), true)
  assert.equal(mayRequest({ ...low, inFlight: 0 }, [{ priority: 1, inFlight: 9, lastMs: 1_000 }], 1_000), true)
})

test('only a folder above all that pull begins without a slot', () => {
  assert.deepEqual(
    [mayPullBeside(1, [0, 0]), mayPullBeside(1, [0, 1]), mayPullBeside(0, [0]), mayPullBeside(5, [])],
    [true, false, false, false],
  )
})

test('a limit of a folder holds its blocks, and ends with the rule or the pull', async () => {
  const clock = new SimClock()
  let receiveKbps = 1_024
  const rates = new FolderRates(clock, () => ({ sendKbps: 0, receiveKbps }))
  const { sources, sent } = slowDevice(clock)
  const limited = rates.limit(LOW, sources)
  const request = (signal = NEVER) => limited.request('D' as DeviceId, blockOf(LOW), signal)
  const first = Array.from({ length: 20 }, () => request())
  await clock.advance(5_000, settle)
  assert.ok(sent.length >= 4 && sent.length <= 8, `${sent.length} MiB in 5 s`)
  const stop = new AbortController()
  const aborted = assert.rejects(request(stop.signal), /the folder stops/)
  stop.abort(new Error('the folder stops'))
  receiveKbps = 0
  rates.update()
  await clock.advance(3_000, settle)
  await Promise.all(first)
  await aborted
  assert.equal(sent.length, 20)
})
