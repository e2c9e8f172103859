import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstFolder } from '../../src/protocol/index-data.ts'
import { readIndex } from './read-index.ts'
import { referenceType } from './reference-schema.ts'
import { field, FOLDER, MIB } from './wire-parts.ts'

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

it('the folder is known from the first field, if it is that', () => {
  assert.equal(firstFolder(FOLDER), 'v')
  assert.equal(firstFolder(Buffer.concat([FOLDER, directory(1)])), 'v')
  assert.equal(firstFolder(Buffer.concat([directory(1), FOLDER])), undefined)
  assert.equal(firstFolder(new Uint8Array(0)), undefined)
})
