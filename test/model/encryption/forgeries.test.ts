/** B-21: what an untrusted device can send instead of what it was given. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encryptRecord, isBlockOf, mayBeBlock } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { hash } from 'node:crypto'
import { decryptRecord, isEncryptedRecord } from '../../../src/model/encryption/encrypted-index.ts'
import { decryptReply } from '../../../src/model/encryption/encrypted-requests.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { encodeRecord, isPlainlyRecord } from '../../../src/protocol/record-bytes.ts'
import type { BlockRequest } from '../../../src/protocol/types.ts'
import { file } from '../../db/records.ts'
import { bytesField, numberField } from '../../support/wire.ts'
import { effort, reportRow } from '../../support/effort.ts'

const random = new SimRandom(21)
const cipher = new FolderCipher(Buffer.alloc(32, 1), 'docs')
const other = new FolderCipher(Buffer.alloc(32, 2), 'docs')
const nonce = () => random.bytes(24)

function sealed(plain: FileInfo, by = cipher): FileInfo {
  return encryptRecord(by, plain, encodeRecord(plain), nonce())
}

/** Changes one bit. */
function changed(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes)
  copy[random.int(copy.length)]! ^= 1 << random.int(8)
  return copy
}

test('B-21: no forged record is accepted', () => {
  const [a, b] = [sealed(file('a')), sealed(file('b'))]
  const forgeries = (): readonly FileInfo[] => [
    { ...a, name: 'a' },
    { ...a, name: b.name },
    { ...a, encrypted: b.encrypted },
    { ...a, encrypted: changed(a.encrypted!) },
    { ...a, encrypted: a.encrypted!.subarray(0, random.int(a.encrypted!.length)) },
    { ...a, encrypted: random.bytes(a.encrypted!.length) },
    { ...a, encrypted: undefined },
    sealed(file('a'), other),
    { ...file('a'), encrypted: encodeRecord(file('a')) },
  ]
  let accepted = 0
  let tried = 0
  for (let round = effort(50); round > 0; round--) {
    for (const forgery of forgeries()) {
      tried++
      if (decryptRecord(cipher, forgery) !== undefined) accepted++
    }
  }
  reportRow({ id: 'B-21', part: 'records', tried, accepted })
  assert.equal(accepted, 0)
})

test('B-21: no forged block is accepted, nor an older or other one of the same file', () => {
  const content = Buffer.from(random.bytes(3_000))
  const request: BlockRequest = {
    folder: 'docs',
    name: 'a',
    offsetBytes: 0,
    sizeBytes: content.length,
    hash: hash('sha256', content, 'buffer'),
    fromTemporary: false,
    blockNumber: 0,
  }
  const seal = (data: Uint8Array, name = 'a', by = cipher) => by.file(name).seal(data, nonce())
  const good = seal(content)
  assert.ok(content.equals(decryptReply(cipher, request, good)))
  const forgeries = (): readonly Uint8Array[] => [
    content,
    changed(good),
    good.subarray(0, random.int(good.length)),
    Buffer.concat([good, random.bytes(1)]),
    random.bytes(good.length),
    seal(content, 'b'),
    seal(content, 'a', other),
    seal(content.subarray(0, 2_000)),
    seal(random.bytes(content.length)), // another block of the same file and length: only its hash shows it
  ]
  let accepted = 0
  let tried = 0
  for (let round = effort(50); round > 0; round--) {
    for (const forgery of forgeries()) {
      tried++
      if (isAccepted(request, forgery)) accepted++
    }
  }
  reportRow({ id: 'B-21', part: 'blocks', tried, accepted })
  assert.equal(accepted, 0)
})

/** As every block is checked where it arrives. */
function isAccepted(request: BlockRequest, reply: Uint8Array): boolean {
  try {
    return hash('sha256', decryptReply(cipher, request, reply), 'buffer').equals(request.hash)
  } catch {
    return false
  }
}

test('B-21: no plain record belongs into an encrypted folder', () => {
  const good = sealed(file('a'))
  assert.ok(isEncryptedRecord(good))
  const plain = [
    file('a'),
    { ...good, name: 'a' },
    { ...good, encrypted: undefined },
    { ...good, name: 'A.syncthing-enc' },
  ]
  for (const record of plain) assert.ok(!isEncryptedRecord(record), record.name)
})

test('B-41: bytes that are a block of a file are recognized, whole, last or padded', () => {
  const size = 131_072
  for (const lastBytes of [0, 1, 700, 1_023, 1_024, 1_025, 5_000]) {
    const content = Buffer.from(random.bytes(2 * size + lastBytes))
    const parts = [content.subarray(0, size), content.subarray(size, 2 * size), content.subarray(2 * size)]
    const hashes = parts.filter(({ length }) => length > 0).map((part) => hash('sha256', part, 'buffer'))
    const record = file('a', { sizeBytes: content.length, blockHashes: Buffer.concat(hashes) })
    for (const part of parts.filter(({ length }) => length > 0)) {
      const padded = Buffer.concat([part, random.bytes(Math.max(0, 1_024 - part.length))])
      assert.ok(isBlockOf(padded, record), `a part of ${part.length} bytes`)
      assert.ok(!isBlockOf(Buffer.concat([padded, Buffer.of(1)]), record))
    }
    assert.ok(!isBlockOf(random.bytes(size), record), 'other bytes of the same length')
  }
  assert.ok(!mayBeBlock(1_023, file('a')), 'no block is shorter than its padding')
})

test('B-41: a record with unknown or repeated fields is told from one that a release made', () => {
  const many = Buffer.concat(Array.from({ length: 40 }, () => random.bytes(32)))
  const good = [file('a'), file('b', { sizeBytes: 40 * 131_072, blockHashes: many })].map(encodeRecord)
  for (const bytes of good) assert.ok(isPlainlyRecord(bytes))
  for (const more of [
    bytesField(1_500, 'x'),
    bytesField(15, 'x'),
    numberField(21, 1),
    bytesField(1, 'a'),
    bytesField(17, 'x').subarray(0, 2), // cut off
  ]) {
    const repeated = Buffer.concat([good[0]!, more])
    assert.ok(!isPlainlyRecord(repeated), Buffer.from(more).toString('hex'))
  }
})
