import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockGroups } from '../../../../src/platform/node/threads/block-groups.ts'

const KIB = 1_024
const MIB = 1_024 * KIB

interface Block {
  readonly name: number
  readonly data: Uint8Array
}

/** Groups with a clock; `ready` has the names of the blocks of each group so far. */
function gatheringWhere(atOnce: number) {
  let nowMs = 0
  let nextName = 1
  const timers: { readonly atMs: number; readonly run: () => void }[] = []
  const ready: number[][] = []
  const take = (): void => {
    for (let group = groups.next(); group !== undefined; group = groups.next())
      ready.push(group.map(({ name }) => name))
  }
  const groups = new BlockGroups<Block>({
    hasher: { atOnce },
    onReady: take,
    nowMs: () => nowMs,
    after: (ms, run) => void timers.push({ atMs: nowMs + ms, run }),
  })
  return {
    ready,
    timers,
    add(sizeBytes: number): void {
      groups.add({ name: nextName++, data: new Uint8Array(sizeBytes) })
      take()
    },
    passMs(ms: number): void {
      const endMs = nowMs + ms
      for (let due = timers.findIndex(({ atMs }) => atMs <= endMs); due >= 0;) {
        const [timer] = timers.splice(due, 1)
        nowMs = Math.max(nowMs, timer!.atMs)
        timer!.run()
        due = timers.findIndex(({ atMs }) => atMs <= endMs)
      }
      nowMs = endMs
    },
  }
}

test('each block is a group where one is hashed at a time', () => {
  const { add, ready, timers } = gatheringWhere(1)
  for (let i = 0; i < 3; i++) add(MIB)
  assert.deepEqual(ready, [[1], [2], [3]])
  assert.equal(timers.length, 0)
})

test('four blocks of one size are a group, whatever arrives between them', () => {
  const { add, ready } = gatheringWhere(4)
  for (const size of [MIB, MIB, 128 * KIB, MIB, MIB, 128 * KIB]) add(size)
  assert.deepEqual(ready, [[1, 2, 4, 5]])
})

test('a block too small or too large for lanes does not wait', () => {
  const { add, ready, timers } = gatheringWhere(4)
  for (const size of [MIB - 1, 60 * KIB, 2 * MIB]) add(size)
  assert.deepEqual(ready, [[2], [3]])
  assert.equal(timers.length, 1)
})

test('a lone block waits for the end of its message only', () => {
  const { add, ready, passMs } = gatheringWhere(4)
  add(MIB)
  assert.deepEqual(ready, [])
  passMs(0)
  assert.deepEqual(ready, [[1]])
})

test('blocks that arrive slowly do not wait for each other', () => {
  const { add, ready, passMs } = gatheringWhere(4)
  for (let i = 0; i < 6; i++) {
    add(MIB)
    passMs(0)
    passMs(10)
  }
  assert.deepEqual(ready, [[1], [2], [3], [4], [5], [6]])
})

test('blocks that arrive quickly are groups of four, and the last ones wait for 25 ms', () => {
  const { add, ready, passMs } = gatheringWhere(4)
  for (let i = 0; i < 13; i++) {
    add(MIB)
    passMs(5)
  }
  assert.deepEqual(ready, [[1], [2], [3], [4, 5, 6, 7], [8, 9, 10, 11]])
  passMs(14)
  assert.equal(ready.length, 5)
  passMs(1)
  assert.deepEqual(ready.at(-1), [12, 13])
})
