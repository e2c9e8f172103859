import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderId, ShortId } from '../../../src/core/ids.ts'
import type { VersionVector } from '../../../src/core/records/version-vector.ts'
import { CounterFloor } from '../../../src/model/state/counter-floor.ts'

const own = 7n as ShortId
const temporaryId = 9n as ShortId
const nothing = { version: [] }

function counted(value: number | bigint): { readonly version: VersionVector } {
  return { version: [{ device: own, value: BigInt(value) }] }
}

function opened() {
  const earlier = new Map<string, Uint8Array>()
  const floors = new Map<string, number>()
  const state = { writes: 0, broken: false, isProven: true }
  const keyValue = { get: async (key: string) => earlier.get(key) }
  const indexOf = (folder: string) => ({
    counterId: async () => undefined,
    hasNewIds: async () => false,
    minCounter: async () => {
      if (state.broken) throw new Error('unreadable')
      return floors.get(folder) ?? 0
    },
    setMinCounter: async (value: number) => {
      state.writes++
      floors.set(folder, value)
    },
  })
  const open = (folder = 'docs') =>
    new CounterFloor(
      { keyValue, exchange: async () => indexOf(folder), continuity: { isProven: () => state.isProven, temporaryId } },
      { folder: folder as FolderId, ownShortId: own, otherDevices: [] },
    )
  return { earlier, floors, state, open }
}

test('a lost counter raises the floor, never lowers it, and is stored per folder', async () => {
  const { state, open } = opened()
  const floor = open()
  await floor.load()
  assert.equal(floor.counting.minCounter, 0)
  floor.note(undefined, counted(5))
  floor.note(counted(5), counted(5))
  floor.note(nothing, counted(5))
  await floor.store()
  assert.deepEqual([floor.counting.minCounter, state.writes], [0, 0], 'no counter was lost')
  floor.note(counted(500), nothing)
  floor.note(counted(300), counted(200))
  await floor.store()
  await floor.store()
  assert.deepEqual([floor.counting.minCounter, state.writes], [501, 1])
  floor.note(counted(501), counted(2))
  await floor.store()
  const [again, other] = [open(), open('other')]
  await Promise.all([again.load(), again.load(), other.load()])
  assert.deepEqual([again.counting.minCounter, other.counting.minCounter, state.writes], [502, 0, 2])
})

test('a counter that no clock can have is ignored: other devices can write any value', async () => {
  const floor = opened().open()
  await floor.load()
  floor.note(counted(2n ** 64n - 1n), nothing)
  floor.note(counted(2n ** 40n + 1n), nothing)
  assert.equal(floor.counting.minCounter, 0)
  floor.note(counted(2n ** 40n), nothing)
  assert.equal(floor.counting.minCounter, 2 ** 40 + 1)
})

test('a failed read is retried', async () => {
  const { floors, open, state } = opened()
  const floor = open()
  state.broken = true
  await assert.rejects(floor.load(), /unreadable/)
  state.broken = false
  floor.note(counted(40), nothing)
  floors.set('docs', 30)
  await floor.load()
  assert.equal(floor.counting.minCounter, 41, 'what was noted before is not lost')
})

test('the value that an earlier release stored is used, unless it is not a number', async () => {
  const { earlier, open } = opened()
  for (const [text, expected] of [
    ['500', 500],
    ['', 0],
    ['-1', 0],
    ['1e300', 0],
    ['NaN', 0],
    ['99999999999999999', 0],
  ] as const) {
    earlier.set('count-from/docs', new TextEncoder().encode(text))
    const floor = open()
    await floor.load()
    assert.equal(floor.counting.minCounter, expected, text)
  }
})

test('D-04: until the other devices have confirmed the index, edits count under a temporary ID', async () => {
  const { state, open } = opened()
  const floor = open()
  state.isProven = false
  await floor.load()
  assert.deepEqual(floor.counting, { ownShortId: own, counterId: undefined, temporaryId, minCounter: 0 })
  floor.note({ version: [{ device: temporaryId, value: 70n }] }, nothing)
  assert.equal(floor.counting.minCounter, 71, 'a lost counter of the temporary ID counts as well')
  state.isProven = true
  await floor.load()
  assert.equal(floor.counting.temporaryId, undefined)
})
