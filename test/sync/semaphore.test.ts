import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Mutex } from '../../src/sync/mutex.ts'
import { Semaphore } from '../../src/sync/semaphore.ts'

const NEVER = new AbortController().signal

test('acquire is immediate below the capacity and waits at it', async () => {
  const semaphore = new Semaphore(2)
  using _a = await semaphore.acquire(NEVER)
  const b = await semaphore.acquire(NEVER)
  let third = false
  const waiting = semaphore.acquire(NEVER).then((slot) => {
    third = true
    return slot
  })
  await settle()
  assert.equal(third, false)
  assert.equal(semaphore.waitingCount, 1)
  b[Symbol.dispose]()
  using _c = await waiting
  assert.equal(semaphore.heldCount, 2)
})

test('slots are granted first in, first out', async () => {
  const semaphore = new Semaphore(1)
  const first = await semaphore.acquire(NEVER)
  const order: number[] = []
  const waiting = [1, 2, 3].map((number) =>
    semaphore.acquire(NEVER).then((slot) => {
      order.push(number)
      slot[Symbol.dispose]()
    }),
  )
  first[Symbol.dispose]()
  const newcomer = semaphore.acquire(NEVER).then((slot) => {
    order.push(4)
    slot[Symbol.dispose]()
  })
  await Promise.all([...waiting, newcomer])
  assert.deepEqual(order, [1, 2, 3, 4])
})

test('a slot released twice is one slot', async () => {
  const semaphore = new Semaphore(1)
  const slot = await semaphore.acquire(NEVER)
  slot[Symbol.dispose]()
  slot[Symbol.dispose]()
  assert.equal(semaphore.heldCount, 0)
})

test('an aborted request rejects with the reason, and later ones move up', async () => {
  const semaphore = new Semaphore(1)
  const held = await semaphore.acquire(NEVER)
  const stop = new AbortController()
  const reason = new Error('stopping')
  const givesUp = semaphore.acquire(stop.signal)
  const behind = semaphore.acquire(NEVER)
  stop.abort(reason)
  await assert.rejects(givesUp, (error) => error === reason)
  held[Symbol.dispose]()
  using _ = await behind
  assert.equal(semaphore.heldCount, 1)
  assert.equal(semaphore.waitingCount, 0)
})

test('an abort at the moment of the grant loses no slot', async () => {
  const semaphore = new Semaphore(1)
  const held = await semaphore.acquire(NEVER)
  const stop = new AbortController()
  const waiting = semaphore.acquire(stop.signal)
  held[Symbol.dispose]()
  stop.abort()
  const slot = await waiting
  slot[Symbol.dispose]()
  assert.equal(semaphore.heldCount, 0)
  using _ = await semaphore.acquire(NEVER)
})

test('an already aborted signal does not queue', async () => {
  const semaphore = new Semaphore(1)
  await assert.rejects(semaphore.acquire(AbortSignal.abort(new Error('stopped'))), /stopped/)
  assert.equal(semaphore.heldCount, 0)
})

test('waiting leaves no listener on the signal', async () => {
  const semaphore = new Semaphore(1)
  const stop = new AbortController()
  for (let i = 0; i < 20; i++) {
    const held = await semaphore.acquire(stop.signal)
    const waiting = semaphore.acquire(stop.signal)
    held[Symbol.dispose]()
    const slot = await waiting
    slot[Symbol.dispose]()
  }
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
})

test('a larger capacity grants queued requests, a smaller one revokes no slot', async () => {
  const semaphore = new Semaphore(1)
  const first = await semaphore.acquire(NEVER)
  const second = semaphore.acquire(NEVER)
  semaphore.setCapacity(2)
  const slot = await second
  semaphore.setCapacity(1)
  const third = semaphore.acquire(NEVER)
  first[Symbol.dispose]()
  await settle()
  assert.equal(semaphore.waitingCount, 1)
  slot[Symbol.dispose]()
  using _ = await third
  assert.throws(() => semaphore.setCapacity(0))
  assert.throws(() => new Semaphore(0))
})

test('for any acquire, release and abort: at most `capacity` holders, and none in the end', async () => {
  const step = fc.record({ abort: fc.boolean(), rounds: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 30 }), async (capacity, steps) => {
      const semaphore = new Semaphore(capacity)
      const stops: AbortController[] = []
      let inside = 0
      const runs = steps.map(async ({ rounds }) => {
        const stop = new AbortController()
        stops.push(stop)
        try {
          using _ = await semaphore.acquire(stop.signal)
          assert.ok(++inside <= capacity)
          for (let i = 0; i < rounds; i++) await settle()
          inside--
        } catch (error) {
          if (!stop.signal.aborted) throw error
        }
      })
      await settle()
      steps.forEach(({ abort }, i) => {
        if (abort) stops[i]?.abort()
      })
      await Promise.all(runs)
      assert.deepEqual([semaphore.heldCount, semaphore.waitingCount, inside], [0, 0, 0])
    }),
    { numRuns: 100 },
  )
})

test('a mutex has one holder at a time, also after an error', async () => {
  const mutex = new Mutex()
  const log: string[] = []
  const work = async (name: string, fails: boolean): Promise<void> => {
    using _ = await mutex.lock()
    log.push(`${name} in`)
    await settle()
    log.push(`${name} out`)
    if (fails) throw new Error(name)
  }
  await Promise.allSettled([work('a', true), work('b', false), work('c', true)])
  assert.deepEqual(log, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
  assert.equal(mutex.locked, false)
})

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
