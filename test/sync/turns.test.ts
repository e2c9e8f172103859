import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../src/sync/turns.ts'

/** A clock that moves when a task works, and counts the turns of the event loop. */
class LoopClock {
  nowMs = () => 0
  workedMs = 0
  turnMs: number[] = [0]

  monotonicMs(): number {
    return this.workedMs
  }

  async sleep(): Promise<void> {
    await new Promise((done) => setImmediate(done))
    this.turnMs.push(0)
  }

  work(ms: number): void {
    this.workedMs += ms
    this.turnMs[this.turnMs.length - 1]! += ms
  }
}

test('turns: many tasks at once do not fill one turn of the event loop, and take turns in order', async () => {
  const clock = new LoopClock()
  const turns = new Turns(clock)
  const order: string[] = []
  const task = async (name: string) => {
    for (let step = 0; step < 3; step++) {
      const waiting = step === 0 ? turns.enter() : turns.next()
      if (waiting !== undefined) await waiting
      clock.work(4)
      turns.worked(4)
      order.push(`${name}${step}`)
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map(task))
  assert.deepEqual(order, ['a0', 'b0', 'a1', 'b1', 'c0', 'd0', 'a2', 'b2', 'c1', 'd1', 'c2', 'd2'])
  assert.ok(Math.max(...clock.turnMs) <= 8, `${clock.turnMs}`) // at most 12
})

test('turns: a little work takes no turn, nor does work after a while', () => {
  const clock = new LoopClock()
  const turns = new Turns(clock)
  for (let count = 0; count < 3; count++) {
    assert.equal(turns.enter(), undefined)
    clock.work(1)
    turns.worked(1)
  }
  clock.work(2)
  turns.worked(2)
  assert.notEqual(turns.enter(), undefined)
  clock.work(5) // of something else
  assert.equal(turns.enter(), undefined)
})
