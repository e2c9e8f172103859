import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../src/platform/clock.ts'
import { STEP_BYTES } from '../../src/protocol/steps.ts'
import { eventually } from '../support/scratch.ts'
import { settle } from './scripted-stream.ts'
import { frame, openConnection } from './test-connection.ts'
import {
  CLUSTER_CONFIG,
  DEVICE,
  EMPTY_FIELD,
  field,
  FOLDER,
  MIB,
  repeated,
  UNKNOWN_RECORD,
  UPDATE,
} from './wire-parts.ts'

const EMPTY = frame(CLUSTER_CONFIG, new Uint8Array(0))

/** Every look at the clock takes a millisecond; sleeps end at once and are counted. */
class TickingClock implements Clock {
  #ms = 0
  pauses = 0

  nowMs(): number {
    return this.#ms
  }

  monotonicMs(): number {
    return this.#ms++
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === 0) {
      this.pauses++
      return await settle(1)
    }
    const { promise, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason))
    await promise
  }
}

for (const [what, type, body] of [
  ['an index update', UPDATE, Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, 640 * 1024)])],
  ['an index update without its folder in front', UPDATE, Buffer.concat([repeated(EMPTY_FIELD, 2 * MIB), FOLDER])],
  ['a cluster config', CLUSTER_CONFIG, field(1, Buffer.concat([FOLDER, repeated(DEVICE, 10_000 * DEVICE.length)]))],
] as const) {
  test(`B-23: other work runs between the time slices of ${what}`, async () => {
    const clock = new TickingClock()
    const { stream, connection, handler } = await openConnection({}, {}, 'configured', { clock })
    stream.feed(EMPTY, frame(type, body))
    await eventually('the message is handled', async () => handler.calls.length === 2 || undefined)
    // Five looks per slice, one per step of 32 KiB.
    assert.ok(clock.pauses >= Math.floor(body.length / STEP_BYTES / 6), `${clock.pauses} pauses`)
    await connection.close('done')
  })
}

for (const [what, message, count, pauses] of [
  ['small', frame(UPDATE, FOLDER), 4_000, 12],
  ['large', frame(5, Buffer.concat([FOLDER, field(7, Buffer.alloc(MIB - 10))])), 16, 3],
] as const) {
  test(`B-23: other work runs between many ${what} messages`, async () => {
    const clock = new TickingClock()
    let handled = 0
    const onMessage = async () => void handled++
    const overrides = { indexUpdate: onMessage, downloadProgress: onMessage }
    const { stream, connection } = await openConnection(overrides, {}, 'configured', { clock })
    const [before, messages] = [clock.pauses, Array.from({ length: count }, () => message)]
    stream.feed(EMPTY, Buffer.concat(messages))
    await eventually('all are handled', async () => handled === count || undefined)
    assert.ok(clock.pauses - before >= pauses, `${clock.pauses - before} pauses`)
    await connection.close('done')
  })
}

const BAD_RECORD = field(2, field(1, Buffer.from('../x')))

test('B-24: an index that the handler does not accept is dropped without decoding its records', async () => {
  const asked: string[] = []
  const acceptsIndex = async (folder: string) => asked.push(folder) < 0
  const { stream, connection, handler } = await openConnection({ acceptsIndex })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, BAD_RECORD])), frame(1, Buffer.concat([BAD_RECORD, FOLDER])))
  await settle()
  assert.deepEqual(asked, ['v', 'v'])
  assert.equal(handler.calls.length, 1)
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

test('B-24: a folder that is given twice is asked for twice', async () => {
  const other = field(1, Buffer.from('other'))
  const { stream, connection, handler } = await openConnection({ acceptsIndex: async (folder) => folder === 'v' })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, other, BAD_RECORD])))
  await settle()
  assert.equal(handler.calls.length, 1)
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

test('B-24: a handler that refuses an index closes the connection before its records are decoded', async () => {
  const acceptsIndex = async () => Promise.reject(new Error('v: no such folder'))
  const { stream, connection, running } = await openConnection({ acceptsIndex })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, BAD_RECORD])))
  await running
  assert.equal(connection.closed.reason.message, 'handling index update for v: v: no such folder')
})
