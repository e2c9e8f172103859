import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  peekResponse,
  plainText,
  readClose,
  readDownloadProgress,
  readProgressEnvelope,
  readRequest,
  readResponse,
  writeClose,
  writeDownloadProgress,
  writeRequest,
  writeResponse,
} from '../../src/protocol/exchange.ts'
import { STEP_BYTES } from '../../src/protocol/steps.ts'
import type { BlockReply, BlockRequest, DownloadUpdate } from '../../src/protocol/types.ts'
import { referenceType } from './reference-schema.ts'
import { field } from './wire-parts.ts'

const REQUEST: BlockRequest = {
  folder: 'photos',
  name: 'a/b.jpg',
  offsetBytes: 2 ** 40,
  sizeBytes: 131_072,
  hash: new Uint8Array(32).fill(7),
  fromTemporary: true,
  blockNumber: 12,
}

describe('a Request', () => {
  it('is read as it was written', () => {
    const { id, request, refusal } = readRequest(writeRequest(2 ** 31 - 1, REQUEST))
    assert.deepEqual([id, refusal], [2 ** 31 - 1, undefined])
    assert.deepEqual({ ...request, hash: Buffer.from(request.hash) }, { ...REQUEST, hash: Buffer.from(REQUEST.hash) })
  })

  const cases: readonly (readonly [what: string, change: Partial<BlockRequest>, refusal: string | undefined])[] = [
    ['nothing special', {}, undefined],
    ['no bytes', { sizeBytes: 0 }, undefined],
    ['a negative size', { sizeBytes: -1 }, 'invalid-file'],
    ['the first byte', { offsetBytes: 0 }, undefined],
    ['a negative offset', { offsetBytes: -1 }, 'invalid-file'],
    ['the first block', { blockNumber: 0 }, undefined],
    ['a negative block number', { blockNumber: -1 }, 'invalid-file'],
    ['no hash', { hash: new Uint8Array(0) }, undefined],
    ['a token', { hash: new Uint8Array(48) }, undefined],
    ['a hash of another length', { hash: new Uint8Array(31) }, 'invalid-file'],
    ['a NUL in the name', { name: 'a\0' }, 'invalid-file'],
    ['32 MiB', { sizeBytes: 32 * 1024 * 1024 }, undefined],
    ['a byte more than 32 MiB', { sizeBytes: 32 * 1024 * 1024 + 1 }, 'no-such-file'],
    ['the largest exact offset', { offsetBytes: Number.MAX_SAFE_INTEGER }, undefined],
  ]
  for (const [what, change, refusal] of cases) {
    it(`with ${what}: ${refusal ?? 'served'}`, () =>
      assert.equal(readRequest(writeRequest(1, { ...REQUEST, ...change })).refusal, refusal))
  }

  it('with an offset that is not exact is refused', () => {
    const reference = referenceType('Request')
    const body = reference.encode(reference.fromObject({ name: 'a', offset: '9007199254740992' })).finish()
    assert.equal(readRequest(body).refusal, 'no-such-file')
  })

  it('for a name outside of the folder is a violation', () => {
    const body = writeRequest(1, { ...REQUEST, name: '../x' })
    const message = 'protocol error on request for "../x" in photos: filename is invalid'
    assert.throws(() => readRequest(body), { kind: 'violation', message })
  })
})

describe('a Response', () => {
  const joined = (id: number, reply: BlockReply) => {
    const [head, tail] = writeResponse(id, reply)
    return Buffer.concat(tail === undefined ? [head] : [head, tail])
  }

  it('is read as it was written', () => {
    for (const id of [0, 1, 127, 128, 2 ** 31 - 1]) {
      for (const data of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(300, 'y')]) {
        const read = readResponse(joined(id, { kind: 'data', data }))
        assert.ok(read.id === id && read.reply.kind === 'data')
        assert.deepEqual(Buffer.from(read.reply.data), data)
      }
      for (const code of ['generic', 'no-such-file', 'invalid-file'] as const)
        assert.deepEqual(readResponse(joined(id, { kind: 'refused', code })), { id, reply: { kind: 'refused', code } })
    }
  })

  it('has no id of 0, as protobuf leaves out what is 0', () => {
    const reply: BlockReply = { kind: 'data', data: Buffer.from('x') }
    const heads = [0, 1].map((id) => Buffer.from(writeResponse(id, reply)[0]).toString('hex'))
    assert.deepEqual(heads, ['1201', '08011201'])
  })

  it('is one piece without data, and does not copy data', () => {
    const data = Buffer.from('x')
    assert.equal(writeResponse(1, { kind: 'data', data: Buffer.alloc(0) }).length, 1)
    const [, tail, headroomBytes] = writeResponse(1, { kind: 'data', data, headroomBytes: 9 })
    assert.ok(tail === data && headroomBytes === 9)
  })

  it('with a code that is not known is a refusal', () => {
    const reference = referenceType('Response')
    for (const [code, wanted] of [
      [1, 'generic'],
      [2, 'no-such-file'],
      [3, 'invalid-file'],
      [4, 'generic'],
      [-1, 'generic'],
    ] as const) {
      const { reply } = readResponse(reference.encode(reference.fromObject({ id: 1, code })).finish())
      assert.deepEqual(reply, { kind: 'refused', code: wanted })
    }
  })

  it('of an id and data is known from its start', () => {
    for (const id of [0, 1, 127, 128, 2 ** 28, 2 ** 31 - 1]) {
      for (const dataBytes of [1, 127, 128, 16_384, 2 ** 21]) {
        const [head] = writeResponse(id, { kind: 'data', data: new Uint8Array(dataBytes) })
        const wanted = { id, headBytes: head.length, dataBytes }
        assert.deepEqual(peekResponse(head, head.length + dataBytes), wanted)
        assert.equal(peekResponse(head, head.length + dataBytes + 1), undefined, 'something follows the data')
        assert.equal(peekResponse(head, head.length + dataBytes - 1), undefined, 'the data is cut')
        for (let cut = 0; cut < head.length; cut++)
          assert.equal(peekResponse(head.subarray(0, cut), head.length + dataBytes), undefined, `${cut} bytes so far`)
      }
    }
  })

  it('of any other form is not', () => {
    const others = ['', '08', '0801', '080112', '080118', '1803', '0802', '08ffffffffff011200', '0a00', '08011a00']
    for (const hex of others) {
      const start = Buffer.from(hex, 'hex')
      assert.equal(peekResponse(start, start.length), undefined, hex)
    }
  })
})

describe('a DownloadProgress', () => {
  const update: DownloadUpdate = {
    kind: 'append',
    name: 'a',
    version: [{ device: 5n as DownloadUpdate['version'][number]['device'], value: 3n }],
    blockIndexes: [0, 1, 7],
    blockSizeBytes: 131_072,
  }

  it('is read as it was written', () => {
    const updates = [update, { ...update, kind: 'forget' as const, name: 'b', blockIndexes: [] }]
    assert.deepEqual(readDownloadProgress(writeDownloadProgress('photos', updates)), { folder: 'photos', updates })
  })

  it('is read without updates of unknown kinds or unusable names, and without negative blocks', () => {
    const names = ['../a', 'a\0', 'x'.repeat(8_193)].map((name) => ({ ...update, name }))
    const odd = { ...update, blockIndexes: [-1, 2, -3] }
    const { updates } = readDownloadProgress(writeDownloadProgress('photos', [...names, odd]))
    assert.deepEqual(updates, [{ ...update, blockIndexes: [2] }])
    const reference = referenceType('DownloadProgress')
    const raw = { folder: 'f', updates: [2, -1, 1].map((update_type) => ({ update_type, name: 'a' })) }
    const read = readDownloadProgress(reference.encode(reference.fromObject(raw)).finish())
    assert.deepEqual(
      read.updates.map(({ kind }) => kind),
      ['forget'],
    )
  })
})

describe('the parts of a DownloadProgress', () => {
  const FOLDER_LAST = Buffer.from('0a0166', 'hex')

  it('are at most 100,000', () => {
    // An update with block numbers in the packed form: each number is a byte, and the update is a part as well.
    const read = (count: number) => readDownloadProgress(field(2, Buffer.concat([NAME, field(4, Buffer.alloc(count))])))
    const NAME = field(2, Buffer.from('a'))
    assert.equal(read(99_999).updates[0]?.blockIndexes.length, 99_999)
    assert.throws(() => read(100_000), { kind: 'malformed', message: /too many parts/ })
  })

  it('are skipped for the folder, in steps of 32 KiB', () => {
    const body = (bytes: number) => Buffer.concat([field(2, Buffer.alloc(bytes, 0xff)), FOLDER_LAST])
    const stepsOf = (bytes: number) => {
      const steps = readProgressEnvelope(body(bytes))
      for (let count = 0; ; count++) {
        const step = steps.next()
        if (step.done === true) return [count, step.value.folder]
      }
    }
    assert.deepEqual(stepsOf(100), [0, 'f'])
    assert.deepEqual(stepsOf(STEP_BYTES), [1, 'f'])
  })
})

describe('the reason of a Close', () => {
  it('is read as it was written, without control characters, up to 1,024 characters', () => {
    assert.equal(readClose(writeClose('gone')), 'gone')
    assert.equal(readClose(writeClose('a\u0000b\u001b[1m\u202ec\u2028')), 'ab[1mc')
    assert.equal(readClose(writeClose('x'.repeat(1_024))), 'x'.repeat(1_024))
    assert.equal(readClose(writeClose('x'.repeat(1_025))), `${'x'.repeat(1_023)}…`)
  })
})

it('a text is cut between characters', () => {
  assert.equal(plainText('ab😀', 4), 'ab😀')
  assert.equal(plainText('abc😀', 4), 'abc…')
  assert.equal(plainText('ab😀😀', 4), 'ab…')
  assert.equal(plainText('\u0001'.repeat(4) + 'abcd', 4), 'abcd')
  assert.equal(plainText('\u0001'.repeat(9) + 'abcd', 4), '', 'only twice the length is looked at')
})
