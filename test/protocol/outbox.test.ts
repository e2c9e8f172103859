import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Outbox } from '../../src/protocol/outbox.ts'
import { ScriptedStream, settle } from './scripted-stream.ts'

const PIECE_BYTES_MAX = 1_028 * 1024

function open() {
  const stream = new ScriptedStream()
  const failures: unknown[] = []
  const clock = { nowMs: 5 }
  const outbox = new Outbox({ stream, nowMs: () => clock.nowMs, onFailure: (error) => failures.push(error) })
  const written = () => stream.written.map((piece) => Buffer.from(piece).toString()).join(' ')
  const send = (lane: 'ordered' | 'fast', text: string) => outbox.send(lane, [Buffer.from(text)])
  return { stream, outbox, failures, clock, written, send }
}

describe('messages are written', () => {
  it('one at a time, all pieces of one before the next', async () => {
    const { stream, outbox, written, send } = open()
    stream.block(true)
    const sent = [outbox.send('ordered', [Buffer.from('a1'), Buffer.from('a2')]), send('ordered', 'b')]
    await settle()
    assert.equal(written(), 'a1')
    stream.block(false)
    await Promise.all(sent)
    assert.equal(written(), 'a1 a2 b')
    await send('ordered', 'c')
    assert.equal(written(), 'a1 a2 b c')
  })

  it('after the first ordered one, and fast ones first from then on', async () => {
    const { stream, written, send } = open()
    const fast = send('fast', 'f')
    await settle()
    assert.equal(written(), '')
    stream.block(true)
    const sent = [fast, send('ordered', 'first'), send('ordered', 'second'), send('fast', 'g')]
    stream.block(false)
    await Promise.all(sent)
    assert.equal(written(), 'first f g second')
  })

  it('with an ordered one after eight fast ones', async () => {
    const { stream, written, send } = open()
    await send('ordered', 'o')
    stream.block(true)
    const sent = Array.from({ length: 18 }, (_, i) => send('fast', `${i}`))
    sent.push(send('ordered', 'x'), send('ordered', 'y'), send('ordered', 'z'))
    stream.block(false)
    await Promise.all(sent)
    assert.equal(written(), 'o 0 1 2 3 4 5 6 7 x 8 9 10 11 12 13 14 15 y 16 17 z')
  })

  it('unless they are no longer wanted', async () => {
    const { stream, outbox, written, send } = open()
    stream.block(true)
    let isWanted = true
    const sent = [
      send('ordered', 'a'),
      outbox.send('fast', [Buffer.from('b')], () => isWanted),
      outbox.send('fast', [Buffer.from('c')], () => !isWanted),
    ]
    isWanted = false
    stream.block(false)
    await Promise.all(sent)
    assert.equal(written(), 'a c')
  })

  it('in parts of 1,028 KiB', async () => {
    const { stream, outbox } = open()
    const lengths = async (bytes: number) => {
      await outbox.send('ordered', [new Uint8Array(bytes)])
      return stream.written.splice(0).map(({ length }) => length)
    }
    assert.deepEqual(await lengths(PIECE_BYTES_MAX), [PIECE_BYTES_MAX])
    assert.deepEqual(await lengths(PIECE_BYTES_MAX + 1), [PIECE_BYTES_MAX, 1])
    assert.deepEqual(await lengths(2 * PIECE_BYTES_MAX), [PIECE_BYTES_MAX, PIECE_BYTES_MAX])
    assert.deepEqual(await lengths(0), [])
    assert.equal(outbox.totalBytes, 4 * PIECE_BYTES_MAX + 1)
  })
})

it('the times of the pending and of the last write are known', async () => {
  const { stream, outbox, clock, send } = open()
  assert.deepEqual([outbox.writingSinceMs, outbox.lastWrittenMs, outbox.totalBytes], [undefined, 5, 0])
  stream.block(true)
  clock.nowMs = 7
  const sent = send('ordered', 'abc')
  clock.nowMs = 9
  assert.deepEqual([outbox.writingSinceMs, outbox.lastWrittenMs, outbox.totalBytes], [7, 5, 0])
  stream.block(false)
  await sent
  assert.deepEqual([outbox.writingSinceMs, outbox.lastWrittenMs, outbox.totalBytes], [undefined, 9, 3])
})

describe('after a failed write', () => {
  it('the message, all queued and all later ones are rejected with its error', async () => {
    const gate = Promise.withResolvers<void>()
    const failures: unknown[] = []
    const stream = { write: () => gate.promise }
    const outbox = new Outbox({ stream, nowMs: () => 3, onFailure: (error) => failures.push(error) })
    const send = (lane: 'ordered' | 'fast') => outbox.send(lane, [new Uint8Array(1)])
    const lost = new Error('lost')
    const rejected = [send('ordered'), send('ordered'), send('fast')].map((sent) =>
      assert.rejects(sent, (error) => error === lost),
    )
    gate.reject(lost)
    await Promise.all(rejected)
    await assert.rejects(send('fast'), (error) => error === lost)
    assert.deepEqual([failures, outbox.writingSinceMs, outbox.totalBytes], [[lost], undefined, 0])
  })

  it('the reason is the one that the handler of the failure gives', async () => {
    const stream = new ScriptedStream()
    stream.fail(new Error('lost'))
    const outbox: Outbox = new Outbox({ stream, nowMs: () => 0, onFailure: () => outbox.end(new Error('closed')) })
    await assert.rejects(outbox.send('ordered', [Buffer.from('a')]), /closed/)
    await assert.rejects(outbox.send('ordered', [Buffer.from('b')]), /closed/)
  })
})

describe('the last message', () => {
  it('follows the one in progress; those in the queues are rejected', async () => {
    const { stream, outbox, written, send } = open()
    stream.block(true)
    const first = send('ordered', 'a')
    const queued = [send('ordered', 'b'), send('fast', 'c')].map((each) => assert.rejects(each, /over/))
    const last = outbox.finish([Buffer.from('z')], new Error('over'))
    await assert.rejects(send('fast', 'd'), /over/)
    stream.block(false)
    await Promise.all([first, last, ...queued])
    assert.equal(written(), 'a z')
  })

  it('is sent even if there was no other', async () => {
    const { outbox, written } = open()
    await outbox.finish([Buffer.from('z')], new Error('over'))
    assert.equal(written(), 'z')
  })

  it('is not sent after the end', async () => {
    const { stream, outbox, send } = open()
    outbox.end(new Error('ended'))
    outbox.end(new Error('again'))
    await assert.rejects(outbox.finish([new Uint8Array(1)], new Error('closed')), /ended/)
    await assert.rejects(send('fast', 'a'), /ended/)
    assert.deepEqual(stream.written, [])
  })
})
