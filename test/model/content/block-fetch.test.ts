import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '../../../src/core/records/block-diff.ts'
import { BlockBuffers } from '../../../src/model/content/block-buffers.ts'
import { BlockFetch } from '../../../src/model/content/block-fetch.ts'
import type { TempFile } from '../../../src/model/content/temp-file.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { RequestWindow } from '../../../src/sync/request-window.ts'
import { file } from '../../db/records.ts'
import { DOCS, NEVER } from '../../support/model.ts'
import { PEER } from '../puller/sim-peer.ts'

const SIZE_BYTES = 1_024

function blocks(from: number, to: number): readonly Block[] {
  return Array.from({ length: to - from }, (_, i) => {
    return { number: from + i, offsetBytes: (from + i) * SIZE_BYTES, sizeBytes: SIZE_BYTES, hash: new Uint8Array(32) }
  })
}

/** A fetch of which another device has the first block of its share, and the source serves none before `serve`. */
function waitingFetch() {
  const clock = new SimClock()
  const served = Promise.withResolvers<void>()
  const source = { device: PEER, fromTemporary: false }
  let allRequested = 0
  const fetch = new BlockFetch(
    {
      folder: DOCS,
      clock,
      window: new RequestWindow(2 ** 30, clock),
      buffers: new BlockBuffers(0, (sizeBytes) => new Uint8Array(sizeBytes)),
      log: { facility: 'model', debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      sources: {
        sourcesOf: async (_folder, _file, number) =>
          number === 20 ? [source, { ...source, fromTemporary: true }] : [source],
        request: async (_device, _request, signal) => {
          await served.promise
          signal.throwIfAborted()
          return new Uint8Array(SIZE_BYTES)
        },
        expectHolders: () => () => {},
        hasConnectedDevice: () => true,
        sendDownloadProgress: async () => {},
      },
    },
    {
      global: file('large'),
      format: { isVerifiable: true, memorySizeBytesMax: 0, verify: () => true, write: async () => true },
      progress: { requested: () => {}, fetched: () => {} },
      onAllRequested: () => void allRequested++,
    },
  )
  const temp = { file: undefined, wrote: () => {} } as unknown as TempFile
  const order = { first: blocks(0, 20), others: blocks(20, 40) }
  return {
    clock,
    served,
    begun: () => allRequested > 0,
    run: (signal: AbortSignal) => fetch.toFile(temp, order, signal),
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('fetch: the next file begins while blocks of other devices are waited for', async () => {
  const { clock, served, begun, run } = waitingFetch()
  const done = run(NEVER)
  for (let turns = 0; turns < 10; turns++) await turn()
  assert.ok(begun())
  served.resolve()
  await clock.advance(60_000, turn)
  await done
})

test('fetch: an abort while blocks of other devices are waited for ends it, and lets others run', async () => {
  const { served, run } = waitingFetch()
  const stop = new AbortController()
  const done = run(stop.signal)
  for (let turns = 0; turns < 10; turns++) await turn()
  stop.abort(new Error('stopped'))
  // The requests under way end in a later turn, which a loop of waits that end at once would not let come.
  setImmediate(() => served.resolve())
  await assert.rejects(done, /stopped/)
})
