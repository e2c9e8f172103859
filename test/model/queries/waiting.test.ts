import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compareNames } from '../../../src/core/paths.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import { PullProgress } from '../../../src/model/state/file-progress.ts'
import { TimeSlice } from '../../../src/sync/time-slice.ts'
import type { NextTo } from '../../../src/model/queries/explorer-types.ts'
import { placeOf, waitingItems, type Queue, type WaitingSource } from '../../../src/model/queries/waiting.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { DEVICES, file, FOLDER, openTestStore } from '../../db/records.ts'

const newSlice = () => new TimeSlice(nodeClock, new AbortController().signal)

/** One file is being pulled, two are queued against the order of names, and one has failed before. */
function queueOf(progress: PullProgress): Queue {
  const jobs = new JobQueue(100)
  for (const name of ['m', 'z', 'b']) jobs.push(name)
  jobs.pop()
  return { jobs, pulling: new Map([['m', progress]]), problems: [{ path: 'z', error: 'disk is full' }] }
}

test('needed items are listed in queue order, then by name, each once over all pages', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const names = [...'abcdmxyz', ...Array.from({ length: 2_500 }, (_, i) => `n${String(i).padStart(4, '0')}`)]
  await index.records.updateRemote(
    DEVICES[0]!,
    names.map((name, i) => file(name, { sequence: i + 1 })),
  )
  const progress = new PullProgress(file('m'), [
    { number: 0, offsetBytes: 0, sizeBytes: 600, hash: new Uint8Array(32) },
  ])
  progress.fetched({ number: 0, offsetBytes: 0, sizeBytes: 600, hash: new Uint8Array(32) })
  const queue = queueOf(progress)

  const first = await waitingItems(index, queue, { page: 1, perPage: 5 }, newSlice())
  assert.deepEqual(
    first.map(({ records, stage, bytesDone, problem }) => [records.name, stage, bytesDone, problem]),
    [
      ['m', 'downloading', 600, undefined],
      ['z', 'queued', 0, 'disk is full'],
      ['b', 'queued', 0, undefined],
      ['a', 'waiting', 0, undefined],
      ['c', 'waiting', 0, undefined],
    ],
  )
  const seen: string[] = []
  for (let page = 1; ; page++) {
    const items = await waitingItems(index, queue, { page, perPage: 400 }, newSlice())
    if (items.length === 0) break
    seen.push(...items.map(({ records }) => records.name))
  }
  assert.deepEqual([seen.length, [...seen].sort()], [names.length, [...names].sort()])
})

/** Some of the names are needed, some of those queued in another order, one or two of them being downloaded. */
const QUEUED_AND_NEEDED = fc.record({
  needed: fc.uniqueArray(fc.stringMatching(/^[a-dé𝄞]{1,3}$/u), { maxLength: 40 }),
  queuedShare: fc.nat(4),
  pulling: fc.nat(2),
  perPage: fc.integer({ min: 1, max: 9 }),
})

test('pages by number, after an item and before one are the same, each item once', async () => {
  await fc.assert(
    fc.asyncProperty(QUEUED_AND_NEEDED, async ({ needed, queuedShare, pulling, perPage }) => {
      await using store = await openTestStore(undefined)
      const index = await store.folder(FOLDER)
      await index.records.updateRemote(
        DEVICES[0]!,
        needed.map((name, i) => file(name, { sequence: i + 1 })),
      )
      const jobs = new JobQueue(100)
      const queued = needed.filter((_, i) => i % 4 < queuedShare)
      for (const name of queued) jobs.push(name)
      for (let count = 0; count < pulling; count++) jobs.pop()
      const queue: Queue = { jobs, pulling: new Map(), problems: [] }
      const namesOn = async (paging: NextTo) =>
        (await waitingItems(index, queue, paging, newSlice())).map(({ records }) => records.name)

      const rest = needed.filter((name) => !queued.includes(name)).sort(compareNames)
      const pages = chunksOf([...queued, ...rest], perPage)
      for (const [at, names] of pages.entries()) {
        const [after, before] = [pages[at - 1]?.at(-1), pages[at + 1]?.[0]]
        assert.deepEqual(await namesOn({ page: at + 1, perPage }), names)
        if (after !== undefined) assert.deepEqual(await namesOn({ page: 1, perPage, after }), names)
        if (before !== undefined) assert.deepEqual(await namesOn({ page: 1, perPage, before }), names)
      }
      assert.deepEqual(await namesOn({ page: pages.length + 1, perPage, after: pages.at(-1)?.at(-1) }), [])
      assert.deepEqual(await namesOn({ page: 1, perPage, before: pages[0]?.[0] }), [])
    }),
  )
})

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

test('next to an item that is not needed any more the number of the page counts', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateRemote(
    DEVICES[0]!,
    [...'abcdef'].map((name, i) => file(name, { sequence: i + 1 })),
  )
  await index.records.updateLocal([file('b')])
  for (const beside of [{ after: 'b' }, { before: 'b' }, { after: 'unknown' }]) {
    const items = await waitingItems(index, undefined, { page: 2, perPage: 2, ...beside }, newSlice())
    assert.deepEqual(
      items.map(({ records }) => records.name),
      ['d', 'e'],
    )
  }
})

test('a far page reads few records, a page next to an item none but its own', async () => {
  await using store = await openTestStore(undefined)
  const stored = await store.folder(FOLDER)
  const names = Array.from({ length: 45_000 }, (_, i) => String(i).padStart(5, '0'))
  for (const chunk of chunksOf(names, 5_000))
    await stored.records.updateRemote(
      DEVICES[0]!,
      chunk.map((name, i) => file(name, { sequence: i + 1 })),
    )
  let read = { heads: 0, names: 0 }
  const index: WaitingSource = {
    listing: stored.listing,
    needs: {
      need: async (options) => {
        const found = await stored.needs.need(options)
        read.heads += found.length
        return found
      },
      neededNames: async (range) => {
        const found = await stored.needs.neededNames(range)
        read.names += found.length
        return found
      },
    },
  }
  const jobs = new JobQueue(10)
  for (const name of names.slice(0, 10)) jobs.push(name)
  for (const [queue, limit] of [
    [undefined, 3],
    [{ jobs, pulling: new Map(), problems: [] }, 45_000],
  ] as const) {
    read = { heads: 0, names: 0 }
    const items = await waitingItems(index, queue, { page: 430, perPage: 100 }, newSlice())
    assert.deepEqual([items.length, items[0]?.records.name, read.heads], [100, '42900', 100])
    assert.ok(read.names <= limit, `${read.names} names`)
    read = { heads: 0, names: 0 }
    await waitingItems(index, queue, { page: 431, perPage: 100, after: '42999' }, newSlice())
    await waitingItems(index, queue, { page: 429, perPage: 100, before: '42900' }, newSlice())
    assert.ok(read.heads + read.names <= 2_200, JSON.stringify(read))
  }
})

test('items that were pulled meanwhile are not listed', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateRemote(DEVICES[0]!, [file('m', { sequence: 1 }), file('z', { sequence: 2 })])
  await index.records.updateLocal([file('m')])
  const queue = queueOf(new PullProgress(file('m'), []))
  assert.deepEqual(
    (await waitingItems(index, queue, { page: 1, perPage: 5 }, newSlice())).map(({ records }) => records.name),
    ['z'],
  )
})

test('the stage of a file: downloading, queued by position, or waiting', () => {
  const queue = queueOf(new PullProgress(file('m'), []))
  assert.deepEqual(
    ['m', 'z', 'b', 'a'].map((name) => placeOf(queue, name)),
    [{ stage: 'downloading' }, { stage: 'queued', place: 0 }, { stage: 'queued', place: 1 }, { stage: 'waiting' }],
  )
})
