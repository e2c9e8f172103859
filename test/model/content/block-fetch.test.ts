import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '../../../src/core/records/block-diff.ts'
import { BlockBuffers } from '../../../src/model/content/block-buffers.ts'
import { BlockFetch } from '../../../src/model/content/block-fetch.ts'
import type { Sources } from '../../../src/model/state/sources.ts'
import type { TempFile } from '../../../src/model/content/temp-file.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { RequestWindow } from '../../../src/sync/request-window.ts'
import { file } from '../../db/records.ts'
import { DOCS, NEVER } from '../../support/model.ts'
import { SERVER } from '../../support/config.ts'
import { PEER } from '../puller/sim-peer.ts'

const SIZE_BYTES = 1_024

function blocks(from: number, to: number): readonly Block[] {
  return Array.from({ length: to - from }, (_, i) => {
    return { number: from + i, offsetBytes: (from + i) * SIZE_BYTES, sizeBytes: SIZE_BYTES, hash: new Uint8Array(32) }
  })
}

/** A fetch of which another device has the first block of its share, and the source serves none before `serve`. */
function waitingFetch(sourcesOf?: Sources['sourcesOf'], request?: Sources['request']) {
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
        sourcesOf:
          sourcesOf ??
          (async (_folder, _file, number) => (number === 20 ? [source, { ...source, fromTemporary: true }] : [source])),
        request:
          request ??
          (async (_device, _request, signal) => {
            await served.promise
            signal.throwIfAborted()
            return new Uint8Array(SIZE_BYTES)
          }),
        onlySource: () => undefined,
        expectHolders: () => () => {},
        hasConnectedDevice: () => true,
        connectedDevices: () => [],
        shareFiles: () => ({ spare: () => {}, [Symbol.dispose]: () => {} }),
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
    toMemory: () => fetch.toMemory(blocks(0, 1)[0]!, NEVER),
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

test('fetch: a device that announces a block and does not reply delays it by about a minute', async () => {
  const requested: string[] = []
  const silent = { device: PEER, fromTemporary: true }
  const other = { device: SERVER, fromTemporary: false }
  const { clock, toMemory } = waitingFetch(
    async () => [silent, other],
    async (device) => {
      requested.push(device)
      return device === PEER ? await new Promise<never>(() => {}) : new Uint8Array(SIZE_BYTES)
    },
  )
  const done = toMemory()
  await clock.advance(59_000, turn)
  assert.deepEqual(requested, [PEER])
  await clock.advance(1_200, turn)
  assert.deepEqual(requested, [PEER, SERVER])
  assert.equal((await done).data.length, SIZE_BYTES)
  assert.equal(clock.sleepingCount, 0)
})
