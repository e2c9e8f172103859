import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWindow } from '../../src/sync/byte-window.ts'
import { settle } from '../support/model.ts'

const NEVER = new AbortController().signal

test('a window grants what fits, first in, first out', async () => {
  const window = new ByteWindow(100)
  const order: string[] = []
  const first = await window.acquire(60, NEVER)
  const take = async (name: string, bytes: number) => {
    const held = await window.acquire(bytes, NEVER)
    order.push(name)
    return held
  }
  const large = take('large', 80)
  const small = take('small', 10)
  await settle()
  assert.deepEqual(order, [], 'the small one does not overtake the large one')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await settle()
  assert.deepEqual(order, ['large', 'small'])
  assert.equal(window.heldBytes, 90)
  for (const held of [await large, await small]) held[Symbol.dispose]()
  assert.equal(window.heldBytes, 0)
})

test('a request larger than the window is granted alone', async () => {
  const window = new ByteWindow(10)
  const huge = await window.acquire(1_000, NEVER)
  assert.equal(window.heldBytes, 1_000)
  const next = window.acquire(1, NEVER)
  huge[Symbol.dispose]()
  ;(await next)[Symbol.dispose]()
})

test('an aborted request unblocks those behind it and holds nothing', async () => {
  const window = new ByteWindow(10)
  const held = await window.acquire(8, NEVER)
  const aborted = new AbortController()
  const waiting = window.acquire(9, aborted.signal)
  const behind = window.acquire(2, NEVER)
  aborted.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  ;(await behind)[Symbol.dispose]()
  held[Symbol.dispose]()
  assert.equal(window.heldBytes, 0)
})

test('a larger limit takes effect immediately', async () => {
  const window = new ByteWindow(10)
  using _held = await window.acquire(10, NEVER)
  const waiting = window.acquire(5, NEVER)
  window.setLimit(15)
  using _second = await waiting // hangs if the limit is applied later
  assert.equal(window.heldBytes, 15)
})

test('at once is granted what fits, unless others wait', async () => {
  const window = new ByteWindow(100)
  const first = window.tryAcquire(60)
  assert.equal(window.tryAcquire(60), undefined)
  assert.equal(window.heldBytes, 60)
  const waiting = window.acquire(80, NEVER)
  assert.equal(window.tryAcquire(10), undefined, 'one that waits is not overtaken')
  first?.[Symbol.dispose]()
  ;(await waiting)[Symbol.dispose]()
  assert.equal(window.heldBytes, 0)
})
