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
  const open = (folder = 'docs') => new CounterFloor({ keyValue, clock }, folder as FolderId, own)
  return { kept, state, open }
}

test('what is forgotten is counted from, never from less, and remembered for that folder', async () => {
  const { state, open } = opened()
  const counts = open()
  await counts.load()
  assert.equal(counts.minCounter, 0)
  counts.note(undefined, counted(5))
  counts.note(counted(5), counted(5))
  counts.note(nothing, counted(5))
  await counts.store()
  assert.deepEqual([counts.minCounter, state.writes], [0, 0], 'nothing was forgotten')
  counts.note(counted(500), nothing)
  counts.note(counted(300), counted(200))
  await counts.store()
  await counts.store()
  assert.deepEqual([counts.minCounter, state.writes], [501, 1])
  counts.note(counted(501), counted(2))
  await counts.store()
  const [again, other] = [open(), open('other')]
  await Promise.all([again.load(), again.load(), other.load()])
  assert.deepEqual([again.minCounter, other.minCounter, state.writes], [502, 0, 2])
})

test('a count far ahead of the clock is not believed: others can write what they like', async () => {
  const counts = opened().open()
  await counts.load()
  counts.note(counted(2n ** 64n - 1n), nothing)
  counts.note(counted(1_000_000 + YEAR_S + 1), nothing)
  assert.equal(counts.minCounter, 0)
  counts.note(counted(1_000_000 + YEAR_S), nothing)
  assert.equal(counts.minCounter, 1_000_000 + YEAR_S + 1)
})

test('an index that cannot be read is asked again; what is no number in it counts for nothing', async () => {
  const { kept, open, state } = opened()
  const counts = open()
  state.broken = true
  await assert.rejects(counts.load(), /unreadable/)
  state.broken = false
  counts.note(counted(40), nothing)
  kept.set('count-from/docs', new TextEncoder().encode('30'))
  await counts.load()
  assert.equal(counts.minCounter, 41, 'what was noted before is not lost')
  for (const text of ['', '-1', '1e300', 'NaN', '99999999999999999']) {
    kept.set('count-from/docs', new TextEncoder().encode(text))
    const fresh = open()
    await fresh.load()
    assert.equal(fresh.minCounter, 0, text)
  }
})
