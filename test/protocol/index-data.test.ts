import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  firstFolder,
  readIndex as readIndexInSteps,
  readIndexEnvelope,
  writeIndex,
} from '../../src/protocol/index-data.ts'
import { STEP_BYTES } from '../../src/protocol/steps.ts'
import { finish, readIndex } from './read-index.ts'
import { referenceType } from './reference-schema.ts'
import { field, FOLDER, MIB, repeated, UNKNOWN_RECORD } from './wire-parts.ts'

/** A directory as it is sent, with so many bytes in a field that is not known. */
function directory(sequence: number, unknownBytes = 0): Buffer {
  const known = Buffer.concat([field(1, Buffer.from(`d${sequence}`)), Buffer.from([0x10, 1, 0x50, sequence])])
  return field(2, Buffer.concat([known, field(99, Buffer.alloc(unknownBytes))]))
}

/** The last and previous sequence of an index message. */
function ends(last: number, previous: number): Buffer {
  return Buffer.from([0x18, last, 0x20, previous])
}

function partsOf(records: readonly Buffer[], last: number, previous = 0) {
  const body = Buffer.concat([FOLDER, ...records, ends(last, previous)])
  return [...readIndex(body, 'index update')].map(({ folder, files, prevSequence, lastSequence }) => {
    assert.equal(folder, 'v')
    return { sequences: files.map(({ sequence }) => sequence), prevSequence, lastSequence }
  })
}

describe('an index message is delivered', () => {
  it('as a whole if it is small', () => {
    const wanted = [{ sequences: [3, 5], prevSequence: 2, lastSequence: 9 }]
    assert.deepEqual(partsOf([directory(3), directory(5)], 9, 2), wanted)
    assert.deepEqual(partsOf([], 9, 2), [{ sequences: [], prevSequence: 2, lastSequence: 9 }])
  })

  it('in parts of about 4 MiB, whose sequences follow each other', () => {
    const records = [1, 2, 3, 4, 5, 6].map((sequence) => directory(sequence, MIB))
    assert.deepEqual(partsOf(records, 8), [
      { sequences: [1, 2, 3, 4], prevSequence: 0, lastSequence: 4 },
      { sequences: [5, 6], prevSequence: 4, lastSequence: 8 },
    ])
  })

  it('record by record if each is larger than a part', () => {
    const records = [1, 2].map((sequence) => directory(sequence, 5 * MIB))
    assert.deepEqual(
      partsOf(records, 2).map(({ sequences }) => sequences),
      [[1], [2]],
    )
  })

  it('in parts of 5,000 records', () => {
    const counts = (count: number) =>
      partsOf(
        Array.from({ length: count }, () => directory(1)),
        1,
      ).map(({ sequences }) => sequences.length)
    assert.deepEqual(counts(5_000), [5_000])
    assert.deepEqual(counts(5_001), [5_000, 1])
    assert.deepEqual(counts(10_001), [5_000, 5_000, 1])
  })
})

/** The steps before the end, and the records of each part, in the order in which they are yielded. */
function yieldsOf(...body: readonly Uint8Array[]): readonly (number | 'step')[] {
  const bytes = Buffer.concat([FOLDER, ...body])
  const yields = readIndexInSteps(bytes, finish(readIndexEnvelope(bytes)), 'index')
  return [...yields].map((part) => part?.files.length ?? 'step')
}

/** A record of exactly so many bytes in the message. */
function recordOf(bytes: number): Buffer {
  const rest = directory(1, bytes).length - bytes
  const record = directory(1, bytes - rest)
  return record.length === bytes ? record : directory(1, bytes - rest + bytes - record.length)
}

describe('the limits of a part', () => {
  it('are 4 MiB before the record, and at least one record', () => {
    const large = (bytes: number) => partsOf([recordOf(bytes), directory(2)], 2).map(({ sequences }) => sequences)
    const beforeBytes = FOLDER.length + 1 // with the tag of the second record
    assert.equal(recordOf(4 * MIB).length, 4 * MIB)
    assert.deepEqual(large(4 * MIB - beforeBytes), [[1], [2]])
    assert.deepEqual(large(4 * MIB - beforeBytes - 1), [[1, 2]])
    const unknown = field(7, Buffer.alloc(5 * MIB))
    assert.deepEqual(
      partsOf([unknown, directory(1), directory(2)], 2).map(({ sequences }) => sequences),
      [[1], [2]],
      'no part is empty',
    )
  })

  it('are 100,000 records in a message', () => {
    const records = (count: number) => repeated(UNKNOWN_RECORD, count * UNKNOWN_RECORD.length)
    assert.deepEqual(partsOf([records(100_000)], 0), [{ sequences: [], prevSequence: 0, lastSequence: 0 }])
    assert.throws(() => partsOf([records(100_001)], 0), { kind: 'malformed', message: /more than 100000 records/ })
  })
})

describe('decoding pauses', () => {
  it('after 32 KiB of records', () => {
    const bytes = STEP_BYTES - FOLDER.length
    assert.deepEqual(yieldsOf(recordOf(bytes - 1), directory(2)), [2])
    assert.deepEqual(yieldsOf(recordOf(bytes), directory(2)), ['step', 2])
    const three = [recordOf(bytes), recordOf(STEP_BYTES), recordOf(STEP_BYTES - 1), directory(2)]
    assert.deepEqual(yieldsOf(...three), ['step', 'step', 4])
  })

  it('within a record of more than 32 KiB', () => {
    const record = (unknownBytes: number) => directory(1, unknownBytes)
    const headBytes = directory(1, STEP_BYTES).length - STEP_BYTES
    // The tag and the length of the record are no part of it.
    const exact = record(STEP_BYTES - headBytes + 4)
    assert.equal(exact.length - 4, STEP_BYTES)
    assert.deepEqual(yieldsOf(exact), [1])
    assert.deepEqual(yieldsOf(record(STEP_BYTES - headBytes + 5)), ['step', 1])
  })

  it('within the fields beside the records, too', () => {
    const body = Buffer.concat([FOLDER, field(7, Buffer.alloc(STEP_BYTES)), ends(1, 0)])
    assert.equal([...readIndexEnvelope(body)].length, 1)
    assert.equal([...readIndexEnvelope(FOLDER)].length, 0)
  })
})

describe('a record that cannot be used', () => {
  const read = (...fields: readonly Uint8Array[]) => yieldsOf(field(2, Buffer.concat(fields)))
  const name = field(1, Buffer.from('a'))
  const isDirectory = Buffer.from([0x10, 1])

  it('ends the connection with the reason, which names the folder only for a violation', () => {
    const message = 'protocol error on index for v: "../x": filename is invalid'
    assert.throws(() => read(field(1, Buffer.from('../x'))), { kind: 'violation', message })
    const malformed = { kind: 'malformed', message: /^text that is not UTF-8$/ }
    assert.throws(() => read(field(1, Buffer.from('c328', 'hex'))), malformed)
  })

  it('is one of more than 20,000 parts', () => {
    /** The attributes of Linux, which are two parts besides these. */
    const attributes = (count: number) => field(14, field(3, repeated(Buffer.from('0a00', 'hex'), 2 * count)))
    assert.equal(read(name, isDirectory, attributes(19_998)).at(-1), 1)
    assert.throws(() => read(name, isDirectory, attributes(19_999)), { kind: 'malformed', message: /too many parts/ })
  })
})

describe('the sequences of a message', () => {
  const reference = referenceType('Index')
  const read = (raw: object) => [...readIndex(reference.encode(reference.fromObject(raw)).finish(), 'index update')][0]

  it('that are not exact end the connection, or are none', () => {
    const message = 'protocol error on index update for f: sequence number out of range'
    assert.throws(() => read({ folder: 'f', last_sequence: '9007199254740992' }), { kind: 'violation', message })
    assert.equal(read({ folder: 'f', prev_sequence: '9007199254740992' })?.prevSequence, 0)
    assert.equal(read({ folder: 'f', prev_sequence: '7' })?.prevSequence, 7)
  })
})

it('an index is written as another implementation reads it', () => {
  const reference = referenceType('Index')
  const [data] = readIndex(Buffer.concat([FOLDER, directory(3), directory(5), ends(9, 2)]), 'index update')
  const sent = reference.toObject(reference.decode(writeIndex(data!)), { longs: Number })
  assert.deepEqual([sent['folder'], sent['last_sequence'], sent['prev_sequence']], ['v', 9, 2])
  assert.deepEqual(
    sent['files'].map(({ name, type, sequence }: Record<string, unknown>) => [name, type, sequence]),
    [
      ['d3', 1, 3],
      ['d5', 1, 5],
    ],
  )
})

it('the folder is known from the first field, if it is that', () => {
  assert.equal(firstFolder(FOLDER), 'v')
  assert.equal(firstFolder(Buffer.concat([FOLDER, directory(1)])), 'v')
  assert.equal(firstFolder(Buffer.concat([directory(1), FOLDER])), undefined)
  assert.equal(firstFolder(new Uint8Array(0)), undefined)
})
