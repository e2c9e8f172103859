import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderId, ShortId } from '../../../src/core/ids.ts'
import type { VersionVector } from '../../../src/core/records/version-vector.ts'
import { CounterFloor } from '../../../src/model/state/counter-floor.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'

const own = 7n as ShortId
const YEAR_S = 366 * 86_400
const nothing = { version: [] }

function counted(value: number | bigint): { readonly version: VersionVector } {
  return { version: [{ device: own, value: BigInt(value) }] }
}

function opened() {
  const kept = new Map<string, Uint8Array>()
  const state = { writes: 0, broken: false }
  const keyValue = {
    get: async (key: string) => {
      if (state.broken) throw new Error('unreadable')
      return kept.get(key)
    },
    set: async (key: string, value: Uint8Array) => {
      state.writes++
      kept.set(key, value)
    },
  }
  const clock = new SimClock(1_000_000_000)
  const index = async () => ({ counterId: async () => undefined })
  const open = (folder = 'docs') => new CounterFloor({ keyValue, clock, index }, folder as FolderId, own)
  return { kept, state, open }
}

test('a lost counter raises the floor, never lowers it, and is stored per folder', async () => {
  const { state, open } = opened()
  const floor = open()
  await floor.load()
  assert.equal(floor.minCounter, 0)
  floor.note(undefined, counted(5))
  floor.note(counted(5), counted(5))
  floor.note(nothing, counted(5))
  await floor.store()
  assert.deepEqual([floor.minCounter, state.writes], [0, 0], 'no counter was lost')
  floor.note(counted(500), nothing)
  floor.note(counted(300), counted(200))
  await floor.store()
  await floor.store()
  assert.deepEqual([floor.minCounter, state.writes], [501, 1])
  floor.note(counted(501), counted(2))
  await floor.store()
  const [again, other] = [open(), open('other')]
  await Promise.all([again.load(), again.load(), other.load()])
  assert.deepEqual([again.minCounter, other.minCounter, state.writes], [502, 0, 2])
})

test('a counter far ahead of the clock is ignored: other devices can write any value', async () => {
  const floor = opened().open()
  await floor.load()
  floor.note(counted(2n ** 64n - 1n), nothing)
  floor.note(counted(1_000_000 + YEAR_S + 1), nothing)
  assert.equal(floor.minCounter, 0)
  floor.note(counted(1_000_000 + YEAR_S), nothing)
  assert.equal(floor.minCounter, 1_000_000 + YEAR_S + 1)
})

test('a failed read is retried; a stored value that is not a number is ignored', async () => {
  const { kept, open, state } = opened()
  const floor = open()
  state.broken = true
  await assert.rejects(floor.load(), /unreadable/)
  state.broken = false
  floor.note(counted(40), nothing)
  kept.set('count-from/docs', new TextEncoder().encode('30'))
  await floor.load()
  assert.equal(floor.minCounter, 41, 'what was noted before is not lost')
  for (const text of ['', '-1', '1e300', 'NaN', '99999999999999999']) {
    kept.set('count-from/docs', new TextEncoder().encode(text))
    const fresh = open()
    await fresh.load()
    assert.equal(fresh.minCounter, 0, text)
  }
})
