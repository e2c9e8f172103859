import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobQueue } from '../../../src/model/state/job-queue.ts'
import { PullProgress } from '../../../src/model/puller/file-progress.ts'
import { TimeSlice } from '../../../src/sync/time-slice.ts'
import { placeOf, waitingItems, type Queue } from '../../../src/model/queries/waiting.ts'
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
  await index.updateRemote(
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

test('items that were pulled meanwhile are not listed', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.updateRemote(DEVICES[0]!, [file('m', { sequence: 1 }), file('z', { sequence: 2 })])
  await index.updateLocal([file('m')])
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
