import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import type { Clock } from '../../src/platform/clock.ts'

const NEVER = new AbortController().signal

/** What every Clock owes its callers. `advance` lets the pending sleeps of the implementation finish. */
export function clockContract(name: string, make: () => { clock: Clock; advance: () => void }): void {
  test(`${name}: wall time is a plausible date`, () => {
    const nowMs = make().clock.nowMs()
    assert.ok(nowMs > Date.UTC(2025) && nowMs < Date.UTC(2100))
  })

  test(`${name}: a sleep takes at least the given time`, async () => {
    const { clock, advance } = make()
    const before = clock.monotonicMs()
    const sleep = clock.sleep(20, NEVER)
    advance()
    await sleep
    assert.ok(clock.monotonicMs() - before >= 19, `${clock.monotonicMs() - before}`) // timers round to milliseconds
  })

  test(`${name}: of two sleeps the shorter ends first`, async () => {
    const { clock, advance } = make()
    const order: string[] = []
    const long = clock.sleep(30, NEVER).then(() => order.push('long'))
    const short = clock.sleep(1, NEVER).then(() => order.push('short'))
    advance()
    await short
    advance()
    await long
    assert.deepEqual(order, ['short', 'long'])
  })

  for (const delayMs of [0, -5]) {
    test(`${name}: a sleep of ${delayMs} ms yields to other tasks and ends`, async () => {
      const { clock, advance } = make()
      let ended = false
      const sleep = clock.sleep(delayMs, NEVER).then(() => (ended = true))
      assert.equal(ended, false)
      advance()
      await sleep
    })
  }

  test(`${name}: an abort ends a sleep with its reason`, async () => {
    const { clock } = make()
    const stop = new AbortController()
    const reason = new Error('stopping')
    const sleep = clock.sleep(60_000, stop.signal)
    stop.abort(reason)
    await assert.rejects(sleep, (error) => error === reason)
  })

  test(`${name}: an aborted signal rejects the sleep at once`, async () => {
    const { clock } = make()
    const reason = new Error('stopped')
    await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), (error) => error === reason)
  })

  for (const days of [25, 60, 1_000]) {
    test(`${name}: a sleep of ${days} days does not end at once`, async () => {
      const { clock } = make()
      const stop = new AbortController()
      const sleep = clock.sleep(days * 86_400_000, stop.signal).then(
        () => 'woke',
        () => 'aborted',
      )
      await Promise.race([sleep, new Promise((resolve) => setTimeout(resolve, 20))])
      stop.abort()
      assert.equal(await sleep, 'aborted')
    })
  }

  test(`${name}: many sleeps on one signal leave no listeners`, async () => {
    const { clock, advance } = make()
    const stop = new AbortController()
    for (let i = 0; i < 50; i++) {
      const sleep = clock.sleep(0, stop.signal)
      advance()
      await sleep
    }
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
  })
}
