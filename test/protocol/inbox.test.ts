import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Frame } from '../../src/protocol/frame.ts'
import { Inbox } from '../../src/protocol/inbox.ts'
import { settle } from './scripted-stream.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const NEVER = new AbortController().signal
const OVERHEAD_BYTES = 200

function message(bytes: number): Frame {
  return { type: 'Close', body: new Uint8Array(bytes) }
}

function passOne(inbox: Inbox): WeakRef<Frame> {
  inbox.put(message(1))
  return new WeakRef(inbox.takeNow() ?? assert.fail('nothing to take'))
}

async function isReady(inbox: Inbox): Promise<boolean> {
  return await Promise.race([inbox.whenReady(NEVER).then(() => true), settle().then(() => false)])
}

for (const [what, bytes, count] of [
  ['16,384 messages', 0, 16_384],
  ['4 MiB with the overhead of each message', 1024 * 1024 - OVERHEAD_BYTES, 4],
] as const) {
  test(`reading pauses at ${what}, until one is taken`, async () => {
    const inbox = new Inbox()
    for (let i = 0; i < count - 1; i++) inbox.put(message(bytes))
    assert.equal(await isReady(inbox), true)
    inbox.put(message(bytes))
    assert.equal(await isReady(inbox), false)
    await inbox.take(NEVER)
    assert.equal(await isReady(inbox), true)
  })
}

test('reading does not pause below 4 MiB', async () => {
  const inbox = new Inbox()
  inbox.put(message(4 * 1024 * 1024 - OVERHEAD_BYTES - 1))
  assert.equal(await isReady(inbox), true)
})

test('reading that has paused continues when a message is taken', async () => {
  const inbox = new Inbox()
  for (let i = 0; i < 16_384; i++) inbox.put(message(0))
  let isReadyNow = false
  void inbox.whenReady(NEVER).then(() => (isReadyNow = true))
  await settle()
  assert.equal(isReadyNow, false)
  await inbox.take(NEVER)
  await settle()
  assert.equal(isReadyNow, true)
})

test('a message that was taken is not kept, also while others wait', async () => {
  const inbox = new Inbox()
  inbox.put(message(1))
  const taken = Array.from({ length: 100 }, () => passOne(inbox))
  await settle() // a WeakRef keeps its object until the end of the turn
  collectGarbage()
  assert.equal(await isReady(inbox), true)
  assert.equal(taken.filter((ref) => ref.deref() !== undefined).length, 0)
})

test('messages are taken in order, then the end', async () => {
  const inbox = new Inbox()
  const messages = Array.from({ length: 20_000 }, (_, i) => message(i % 3))
  for (const each of messages) inbox.put(each)
  inbox.end()
  for (const each of messages) assert.equal(await inbox.take(NEVER), each)
  assert.equal(await inbox.take(NEVER), undefined)
  assert.equal(await isReady(inbox), true)
})

test('a take waits for a message, and ends with its signal', async () => {
  const inbox = new Inbox()
  const stop = new AbortController()
  const ended = inbox.take(stop.signal)
  stop.abort(new Error('stopped'))
  await assert.rejects(ended, /stopped/)
  const taken = inbox.take(NEVER)
  const late = message(1)
  inbox.put(late)
  assert.equal(await taken, late)
})
