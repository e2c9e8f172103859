import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { IdleTimeouts } from '../../src/protocol/idle-timeouts.ts'

const NOW_MS = 1_000_000

interface State {
  readonly waitingSinceMs?: number
  readonly writingSinceMs?: number
  readonly lastWrittenMs?: number
  readonly midFrame?: boolean
}

/** Times are given as milliseconds before now. */
function timeoutsOf({ waitingSinceMs, writingSinceMs, lastWrittenMs = 0, midFrame = false }: State): IdleTimeouts {
  const before = (ms: number | undefined) => (ms === undefined ? undefined : NOW_MS - ms)
  const timeouts = new IdleTimeouts(
    { monotonicMs: () => NOW_MS },
    { waitingSinceMs: before(waitingSinceMs) },
    { writingSinceMs: before(writingSinceMs), lastWrittenMs: NOW_MS - lastWrittenMs },
  )
  timeouts.midFrame = midFrame
  return timeouts
}

describe('a connection', () => {
  const cases: readonly [state: State, isTimedOut: boolean][] = [
    [{}, false],
    [{ waitingSinceMs: 299_999 }, false],
    [{ waitingSinceMs: 300_000 }, true],
    [{ waitingSinceMs: 59_999, midFrame: true }, false],
    [{ waitingSinceMs: 60_000, midFrame: true }, true],
    [{ writingSinceMs: 299_999 }, false],
    [{ writingSinceMs: 300_000 }, true],
    [{ writingSinceMs: 60_000, midFrame: true }, false],
    [{ waitingSinceMs: 0, writingSinceMs: 300_000 }, true],
    [{ waitingSinceMs: 300_000, writingSinceMs: 0 }, true],
  ]
  for (const [state, isTimedOut] of cases) {
    it(`${JSON.stringify(state)} is ${isTimedOut ? '' : 'not '}timed out`, () => {
      assert.equal(timeoutsOf(state).isTimedOut, isTimedOut)
    })
  }
})

describe('a ping', () => {
  it('is due 45 s after the last write, and never during one', () => {
    assert.equal(timeoutsOf({ lastWrittenMs: 44_999 }).isPingDue, false)
    assert.equal(timeoutsOf({ lastWrittenMs: 45_000 }).isPingDue, true)
    assert.equal(timeoutsOf({ lastWrittenMs: 45_000, writingSinceMs: 0 }).isPingDue, false)
  })
})

describe('the next check', () => {
  const cases: readonly [state: State, nextMs: number][] = [
    [{}, 45_000],
    [{ lastWrittenMs: 40_000 }, 5_000],
    [{ lastWrittenMs: 44_500 }, 1_000],
    [{ lastWrittenMs: 99_000 }, 1_000],
    [{ writingSinceMs: 0, lastWrittenMs: 99_000 }, 45_000],
    [{ waitingSinceMs: 290_000 }, 10_000],
    [{ waitingSinceMs: 50_000, midFrame: true }, 10_000],
    [{ writingSinceMs: 280_000, lastWrittenMs: 280_000 }, 20_000],
  ]
  for (const [state, nextMs] of cases) {
    it(`of ${JSON.stringify(state)} is in ${nextMs} ms`, () => assert.equal(timeoutsOf(state).nextCheckMs, nextMs))
  }
})
