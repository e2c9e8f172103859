import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { JobFeed } from '../../../src/model/puller/job-feed.ts'
import { contentKey, PullList } from '../../../src/model/puller/pull-list.ts'
import { JobQueue } from '../../../src/model/state/job-queue.ts'

interface Listed {
  readonly name: string
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly blocksHash: Uint8Array | undefined
}

function fileOf(name: string, sizeBytes = 1): Listed {
  return { name, sizeBytes, modifiedS: 1, modifiedNs: 2, blocksHash: undefined }
}

function listOf(files: readonly Listed[]): PullList {
  const list = new PullList()
  for (const file of files) list.add(file)
  return list
}

/** Names and sizes as they are begun, with `act` called before each. */
function begunOf(feed: JobFeed, act: (begun: number) => void = () => {}): readonly string[] {
  const begun: string[] = []
  for (;;) {
    act(begun.length)
    const next = feed.next()
    if (next?.kind !== 'file') return begun
    begun.push(`${next.name} ${next.sizeBytes}`)
    feed.begin(next.name)
  }
}

test('a list returns what was added, finds each name, and only whole names', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }).filter((name) => !name.includes('\0')))
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const seconds = fc.integer({ min: -(2 ** 40), max: 2 ** 40 })
  fc.assert(
    fc.property(
      names,
      fc.nat(2 ** 31),
      seconds,
      fc.nat(999_999_999),
      hash,
      (all, size, modifiedS, modifiedNs, blocksHash) => {
        const files = all.map((name, i) => ({ name, sizeBytes: size * 2 ** 20 + i, modifiedS, modifiedNs, blocksHash }))
        const list = listOf(files)
        assert.equal(list.count, files.length)
        for (const [place, { name, sizeBytes }] of files.entries()) {
          assert.equal(list.name(place), name)
          assert.equal(list.find(name), place)
          assert.equal(list.sizeBytes(place), sizeBytes)
          assert.deepEqual([list.modifiedS(place), list.modifiedNs(place)], [modifiedS, modifiedNs])
          assert.equal(list.content(place), contentKey(blocksHash))
          if (!all.includes(`${name}x`)) assert.equal(list.find(`${name}x`), undefined)
          list.remove(place)
          assert.equal(list.find(name), undefined)
        }
      },
    ),
  )
})

test('a list grows with the number and the length of names', () => {
  const files = Array.from({ length: 3_000 }, (_, i) => fileOf(`${'long/'.repeat(i % 90)}${i}`, i))
  const list = listOf(files)
  for (const [place, { name, sizeBytes }] of files.entries()) {
    assert.equal(list.name(place), name)
    assert.equal(list.sizeBytes(place), sizeBytes)
  }
  assert.equal(list.find(files[2_999]!.name), 2_999)
  assert.deepEqual([list.find('long/1'), list.find('1')], [1, undefined])
})

test('contents have equal keys if they are equal, and a file without content has none of them', () => {
  const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  assert.equal(contentKey(one), contentKey(Uint8Array.from([9, ...one]).subarray(1)))
  assert.notEqual(contentKey(one), contentKey(other))
  assert.ok(contentKey(undefined) < 0)
})

test('all files pass through a short queue in pull order, and those that were removed do not', () => {
  const list = listOf(Array.from({ length: 50 }, (_, i) => fileOf(`f${i}`, (i * 7) % 50)))
  const removed = list.find('f3')!
  const sizes = Array.from({ length: 50 }, (_, size) => size).filter((size) => size !== list.sizeBytes(removed))
  list.remove(removed)
  const jobs = new JobQueue(4)
  const order = list.inOrder('smallestFirst', () => 0, { own: '', devices: [] })
  const begun = begunOf(new JobFeed(jobs, list, order), () => assert.ok(jobs.waiting().length <= 4))
  assert.deepEqual(
    begun.map((text) => Number(text.split(' ')[1])),
    sizes,
  )
})

test('prio of a file that is behind the queue, before and while files are pulled, begins it next, once', () => {
  const list = listOf(Array.from({ length: 20 }, (_, i) => fileOf(`f${String(i).padStart(2, '0')}`, i)))
  const jobs = new JobQueue(3)
  jobs.bringToFront('f15')
  jobs.bringToFront('unknown')
  const order = list.inOrder('alphabetic', () => 0, { own: '', devices: [] })
  const begun = begunOf(new JobFeed(jobs, list, order), (count) => {
    if (count === 2) for (const name of ['f00', 'f18', 'f02']) jobs.bringToFront(name)
  })
  const numbers = begun.map((text) => Number(text.split(' ')[1]))
  assert.deepEqual(numbers, [15, 0, 2, 18, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19])
})
