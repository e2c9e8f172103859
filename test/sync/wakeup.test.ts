import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Wakeup } from '../../src/sync/wakeup.ts'

const NEVER = new AbortController().signal

test('a ring before the wait is not lost', async () => {
  const wakeup = new Wakeup()
  wakeup.ring()
  await wakeup.wait(NEVER) // hangs if the ring is lost
})

test('a thousand rings are one wakeup', async () => {
  const wakeup = new Wakeup()
  for (let i = 0; i < 1_000; i++) wakeup.ring()
  await wakeup.wait(NEVER)
  const stop = new AbortController()
  const second = wakeup.wait(stop.signal).then(
    () => 'woke',
    () => 'still waiting',
  )
  await settle()
  stop.abort()
  assert.equal(await second, 'still waiting')
})

test('a ring wakes the waiter', async () => {
  const wakeup = new Wakeup()
  const waiting = wakeup.wait(NEVER)
  wakeup.ring()
  await waiting // hangs if the ring is lost
})

test('a ring during the work causes one more round', async () => {
  const wakeup = new Wakeup()
  const stop = new AbortController()
  let rounds = 0
  wakeup.ring()
  const loop = (async () => {
    for (;;) {
      await wakeup.wait(stop.signal)
      if (++rounds === 1) for (let i = 0; i < 10; i++) wakeup.ring()
    }
  })().catch(() => {})
  await settle()
  stop.abort()
  await loop
  assert.equal(rounds, 2)
})

test('an abort rejects the wait with its reason and leaves no listener on the signal', async () => {
  const wakeup = new Wakeup()
  const stop = new AbortController()
  const reason = new Error('stopping')
  for (let i = 0; i < 10; i++) {
    const waiting = wakeup.wait(stop.signal)
    wakeup.ring()
    await waiting
  }
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
  const waiting = wakeup.wait(stop.signal)
  stop.abort(reason)
  await assert.rejects(waiting, (error) => error === reason)
  await assert.rejects(wakeup.wait(stop.signal), (error) => error === reason)
})

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
