import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { readClusterConfig } from '../../src/protocol/cluster-config.ts'
import { compress } from '../../src/protocol/compress.ts'
import { readIndex, readIndexEnvelope } from '../../src/protocol/index-data.ts'
import { inSlices, STEP_BYTES, type Steps } from '../../src/protocol/steps.ts'
import { TimeSlice } from '../../src/sync/time-slice.ts'
import { eventually } from '../support/scratch.ts'
import { finish, readIndex as readParts } from './read-index.ts'
import { frame, openConnection } from './test-connection.ts'
import { BLOCK, DEVICE, EMPTY_FIELD, field, FOLDER, LZ4, MIB, repeated, UNKNOWN_RECORD, UPDATE } from './wire-parts.ts'

const EMPTY = frame(0, new Uint8Array(0))

/** The number of marks between steps. */
function stepsOf<R>(steps: Steps<unknown, R>): number {
  let count = 0
  for (const step of steps) if (step === undefined) count++
  return count
}

const LONG: readonly (readonly [what: string, bytes: number, steps: () => Steps<unknown, unknown>])[] = [
  ['unknown records', 512 * 1024, () => indexSteps(repeated(UNKNOWN_RECORD, 512 * 1024))],
  ['empty unknown fields between the records', MIB, () => indexSteps(repeated(EMPTY_FIELD, MIB))],
  [
    'the blocks of one record',
    MIB,
    () => indexSteps(field(2, Buffer.concat([field(1, Buffer.from('a')), repeated(BLOCK, MIB)]))),
  ],
  ['an envelope among empty fields', MIB, () => readIndexEnvelope(Buffer.concat([repeated(EMPTY_FIELD, MIB), FOLDER]))],
  ['an envelope among records', MIB, () => readIndexEnvelope(Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, MIB)]))],
  [
    'the devices of one folder',
    9_000 * DEVICE.length,
    () => readClusterConfig(field(1, repeated(DEVICE, 9_000 * DEVICE.length))),
  ],
  ['empty fields of a cluster config', MIB, () => readClusterConfig(repeated(EMPTY_FIELD, MIB))],
  ['empty fields of a folder', MIB, () => readClusterConfig(field(1, repeated(EMPTY_FIELD, MIB)))],
]

function indexSteps(rest: Uint8Array): Steps<unknown> {
  const body = Buffer.concat([FOLDER, rest])
  return readIndex(body, finish(readIndexEnvelope(body)), 'index update')
}

for (const [what, bytes, steps] of LONG) {
  test(`B-23: decoding pauses after 32 KiB at the latest: ${what}`, () => {
    const count = stepsOf(steps())
    assert.ok(count >= Math.floor(bytes / (STEP_BYTES + 64)) - 1, `${count} steps for ${bytes} bytes`)
  })
}

test('steps are run to their result, and other work between those that exceed a time slice', async () => {
  let nowMs = 0
  let pauses = 0
  const clock: Clock = { nowMs: () => 0, monotonicMs: () => nowMs, sleep: async () => void pauses++ }
  const seen: number[] = []
  function* steps(): Steps<never, string> {
    for (const stepMs of [4, 1, 4, 9]) {
      seen.push(pauses)
      nowMs += stepMs
      yield
    }
    seen.push(pauses)
    return 'done'
  }
  assert.equal(await inSlices(steps(), new TimeSlice(clock, new AbortController().signal)), 'done')
  assert.deepEqual(seen, [0, 0, 1, 1, 2])
})

test('B-23: the costly conversion of devices pauses after 128', () => {
  const config = (count: number) => readClusterConfig(field(1, repeated(DEVICE, count * DEVICE.length)))
  assert.ok(stepsOf(config(800)) >= 6)
  assert.equal(stepsOf(config(127)), 0)
})

test('B-23: an index message of more than 100,000 records is refused', () => {
  const body = (count: number) => Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, count * UNKNOWN_RECORD.length)])
  assert.equal([...readParts(body(100_000), 'index')].length, 1)
  assert.throws(() => [...readParts(body(100_001), 'index')], /more than 100000 records/)
})

test('B-23: an index message of more than 32 MiB is refused before it is read or unpacked', async () => {
  for (const [bytes, isRefused] of [
    [32 * MIB, false],
    [32 * MIB + 1, true],
  ] as const) {
    const body = Buffer.concat([FOLDER, field(7, Buffer.alloc(bytes - FOLDER.length - 5))])
    assert.equal(body.length, bytes)
    const { stream, connection, handler } = await openConnection()
    stream.feed(EMPTY, frame(UPDATE, compress(body)!, LZ4))
    await eventually(
      'the message is handled',
      async () => connection.closed.aborted || handler.calls.length > 1 || undefined,
    )
    assert.equal(/claims/.test(connection.closed.reason?.message ?? ''), isRefused, `${bytes} bytes`)
    await connection.close('done')
  }
})

test('B-23: a symlink target of more than 4 KiB is not used', () => {
  const flags = (bytes: number) => {
    const link = Buffer.concat([
      field(1, Buffer.from('l')),
      Buffer.from([0x10, 4]),
      field(17, Buffer.alloc(bytes, 'x')),
    ])
    return [...readParts(Buffer.concat([FOLDER, field(2, link)]), 'index')][0]?.files[0]?.localFlags
  }
  assert.equal(flags(4_096), 0)
  assert.equal(flags(4_097), FLAG_REMOTE_INVALID)
})

test('B-23: a message of limited parts: texts, groups and repeated inner messages', () => {
  const record = (...fields: Uint8Array[]) =>
    Buffer.concat([FOLDER, field(2, Buffer.concat([field(1, Buffer.from('a')), Buffer.from([0x10, 1]), ...fields]))])
  const read = (...fields: Uint8Array[]) => [...readParts(record(...fields), 'index')][0]?.files.length
  const text = (bytes: number) => field(14, field(1, field(1, Buffer.alloc(bytes, 'x'))))
  assert.equal(read(text(256 * 1024)), 1)
  assert.throws(() => read(text(256 * 1024 + 1)), /a text of 262145 bytes/)
  const group = (fields: number) =>
    Buffer.concat([Buffer.from([0x2b]), repeated(EMPTY_FIELD, 2 * fields), Buffer.from([0x2c])])
  assert.equal(read(group(10_000)), 1)
  assert.throws(() => read(group(10_001)), /group of too many fields/)
  // Each repetition of the attributes is appended to the earlier ones.
  const attributes = field(14, field(9, Buffer.alloc(1_000)))
  assert.equal(read(repeated(attributes, 20 * attributes.length)), 1)
  assert.throws(() => read(repeated(attributes, 1_000 * attributes.length)), /too many parts/)
})
