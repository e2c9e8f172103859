import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Delivery } from '../../../src/core/hooks/occurrence.ts'
import {
  afterAttempt,
  dueDeliveries,
  EMPTY_JOURNAL,
  enqueue,
  nextDueMs,
  parseHookJournal,
  withoutOthers,
  type HookJournal,
} from '../../../src/core/hooks/queue.ts'

const HOUR_MS = 3_600_000

function delivery(id: string, hookId = 'h', timeMs = 0): Delivery {
  const subject = { folder: undefined, device: undefined, text: `text ${id}`, details: {} }
  const paths = { paths: undefined, isPathsComplete: false }
  return { ...subject, ...paths, id, hookId, on: 'error', timeMs, attempts: 0, nextMs: timeMs }
}

const queued = (...all: readonly Delivery[]) => all.reduce(enqueue, EMPTY_JOURNAL)
const idsOf = (all: readonly Delivery[]) => all.map(({ id }) => id)
const FAILED = { ok: false, detail: 'HTTP 500' }

describe('the queue', () => {
  it('gives the first of each hook that is due', () => {
    const journal = queued(delivery('a1'), delivery('a2'), delivery('b1', 'other', 5))
    assert.deepEqual(idsOf(dueDeliveries(journal, 0)), ['a1'])
    assert.deepEqual(idsOf(dueDeliveries(journal, 5)), ['a1', 'b1'])
    const failed = afterAttempt(journal, journal.queue[0]!, FAILED, 0)
    assert.deepEqual(idsOf(dueDeliveries(failed, 5)), ['b1'])
    assert.deepEqual([nextDueMs(failed), nextDueMs(EMPTY_JOURNAL)], [5, undefined])
  })

  it('drops the oldest of a hook above the limit and says so', () => {
    const all = Array.from({ length: 103 }, (_, i) => delivery(`d${i}`))
    const journal = queued(delivery('other', 'o'), ...all)
    assert.equal(journal.queue.length, 101)
    assert.deepEqual(idsOf(journal.queue.slice(0, 2)), ['other', 'd3'])
    assert.deepEqual(
      journal.log['h']!.map(({ id, outcome }) => [id, outcome]),
      [
        ['d0', 'dropped'],
        ['d1', 'dropped'],
        ['d2', 'dropped'],
      ],
    )
  })

  it('tries again after delays that double up to an hour, for three days', () => {
    let journal: HookJournal = queued(delivery('a'))
    const delays: number[] = []
    let nowMs = 0
    while (journal.queue.length > 0) {
      const [first] = dueDeliveries(journal, nowMs)
      assert.equal(first?.id, 'a')
      journal = afterAttempt(journal, first!, FAILED, nowMs)
      const nextMs = nextDueMs(journal) ?? nowMs
      delays.push(nextMs - nowMs)
      nowMs = nextMs
    }
    assert.deepEqual(
      delays.slice(0, 9),
      [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600].map((s) => s * 1_000),
    )
    assert.ok(nowMs >= 72 * HOUR_MS && nowMs < 74 * HOUR_MS, String(nowMs / HOUR_MS))
    assert.equal(journal.log['h']!.at(-1)!.outcome, 'dropped')
    assert.equal(journal.log['h']!.length, 50)
  })

  it('removes what was delivered, and keeps the others', () => {
    const journal = queued(delivery('a'), delivery('b'))
    const after = afterAttempt(journal, journal.queue[0]!, { ok: true, detail: 'HTTP 200' }, 7)
    assert.deepEqual(idsOf(after.queue), ['b'])
    const entry = { timeMs: 7, id: 'a', text: 'text a', outcome: 'delivered', detail: 'HTTP 200' }
    assert.deepEqual(after.log['h'], [entry])
  })

  it('forgets a hook that was removed', () => {
    const failed = afterAttempt(queued(delivery('a'), delivery('b', 'o')), delivery('a'), FAILED, 0)
    const left = withoutOthers({ ...failed, memory: { h: {}, o: {} } }, new Set(['o']))
    assert.deepEqual([idsOf(left.queue), Object.keys(left.memory), left.log], [['b'], ['o'], {}])
  })
})

it('a journal on the disk: all of it is read back, damaged parts are left out', () => {
  const journal = afterAttempt(queued(delivery('a'), delivery('b')), delivery('a'), FAILED, 0)
  const whole = { ...journal, memory: { h: { photos: { level: 'on', lastedMs: 5, isArmed: true } } } }
  assert.deepEqual(parseHookJournal(JSON.parse(JSON.stringify(whole))), JSON.parse(JSON.stringify(whole)))
  for (const value of [undefined, null, 7, [], 'x', { memory: 7, queue: {}, log: 'x' }]) {
    assert.deepEqual(parseHookJournal(value), EMPTY_JOURNAL)
  }
  const damaged = { queue: [{ id: 'a' }, ...whole.queue], log: { h: [{}] }, memory: { h: 'x', o: { p: 7 }, k: {} } }
  assert.deepEqual(parseHookJournal(JSON.parse(JSON.stringify(damaged))), {
    memory: { k: {} },
    queue: JSON.parse(JSON.stringify(whole.queue)),
    log: {},
  })
})
