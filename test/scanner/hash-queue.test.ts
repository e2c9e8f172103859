import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HashResult } from '../../src/platform/hasher.ts'
import { HashQueue } from '../../src/scanner/hash-queue.ts'

const FILES = 700

function itemAt(number: number) {
  const times = { modifiedS: 1, modifiedNs: 0, changeStamp: undefined }
  return { name: `f${number}`, type: 'file' as const, sizeBytes: 1, ...times, mode: 0o644, symlinkTarget: '', inode: 0 }
}

/** A queue whose hasher ends a group when `end` is called. */
function heldQueue(hashersMax: number) {
  const ends: (() => void)[] = []
  const seen: string[] = []
  const queue = new HashQueue({
    hasher: {
      hash: (jobs) => {
        const { promise, resolve } = Promise.withResolvers<readonly HashResult[]>()
        ends.push(() => resolve(jobs.map(() => ({ kind: 'changed' }))))
        return promise
      },
    },
    root: '/r',
    signal: new AbortController().signal,
    hashersMax,
    onBytes: () => undefined,
    onResults: async (requests) => {
      for (const { item } of requests) seen.push(item.name)
    },
  })
  return { queue, ends, seen }
}

test('hash queue: groups that are full at the same time wait for their turn, and all are hashed', async () => {
  for (const [hashersMax, groups] of [
    [1, 1],
    [0, 4],
  ] as const) {
    const { queue, ends, seen } = heldQueue(hashersMax)
    for (let number = 0; number < FILES; number++) queue.add(itemAt(number), undefined)
    assert.equal(ends.length, groups)
    const drained = queue.drain()
    for (let ended = 0; seen.length < FILES; ended++) {
      assert.ok(ends.length - ended <= groups)
      ends[ended]?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await drained
    assert.equal(new Set(seen).size, FILES)
  }
})
