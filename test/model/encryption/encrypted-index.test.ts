import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encryptRecord } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { FLAG_IGNORED, FLAG_REMOTE_INVALID, type FileInfo } from '../../../src/core/records/file-info.ts'
import { decryptIndex, decryptRecord, encryptIndex } from '../../../src/model/encryption/encrypted-index.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { decodeRecord, encodeRecord } from '../../../src/protocol/record-bytes.ts'
import { directory, file, version } from '../../db/records.ts'

const DEPS = { clock: nodeClock, random: nodeRandom, isBlock: async () => false, onStrange: () => {} }
const cipher = new FolderCipher(Buffer.alloc(32, 1), 'docs')

function dataOf(files: readonly FileInfo[]) {
  return { folder: 'docs', files, lastSequence: files.length, prevSequence: 0 }
}

/** As a device receives it. */
function received(record: FileInfo): FileInfo {
  const decoded = decodeRecord(encodeRecord(record))
  assert.ok(decoded !== undefined)
  return decoded
}

test('an index is read by a device with the password, and shows nothing to others', async () => {
  const plain = [
    file('secret/a', { sequence: 1, version: version(4, 5) }),
    directory('secret', { sequence: 2 }),
    file('gone', { sequence: 3, deleted: true, sizeBytes: 0, blockHashes: undefined, blockSizeBytes: 0 }),
    ...Array.from({ length: 300 }, (_, i) => file(`secret ${i}`, { sequence: i + 4 })),
  ].map(received)
  const sent = await encryptIndex(DEPS, cipher, dataOf(plain))
  const bytes = Buffer.concat(sent.files.map(encodeRecord))
  for (const word of ['secret', 'gone', Buffer.from(plain[0]!.blockHashes!)]) assert.ok(!bytes.includes(word))
  const again = await decryptIndex(DEPS, cipher, { ...sent, files: sent.files.map(received) })
  assert.deepEqual(again?.files, plain)
  const other = new FolderCipher(Buffer.alloc(32, 2), 'docs')
  assert.equal(await decryptIndex(DEPS, other, sent), undefined)
})

test('one forged record refuses the whole message', async () => {
  const sent = await encryptIndex(DEPS, cipher, dataOf([file('a'), file('b')]))
  const [a, b] = sent.files
  assert.equal(await decryptIndex(DEPS, cipher, { ...sent, files: [a!, { ...b!, name: 'plain' }] }), undefined)
  assert.equal(
    await decryptIndex(DEPS, cipher, { ...sent, files: [a!, { ...b!, encrypted: a!.encrypted }] }),
    undefined,
  )
})

test('the sequence is that of the holder, all else is what the author sealed', () => {
  const plain = received(file('a', { version: version(7), sequence: 5 }))
  const outer = encryptRecord(cipher, plain, encodeRecord(plain), nodeRandom.bytes(24))
  const forged = { ...outer, sequence: 99, deleted: true, version: version(1_000), modifiedS: 1 }
  assert.deepEqual(decryptRecord(cipher, forged), { ...plain, sequence: 99 })
  assert.equal(decryptRecord(cipher, { ...outer, localFlags: FLAG_REMOTE_INVALID })?.localFlags, FLAG_REMOTE_INVALID)
})

test('a record that names another item, or holds an encrypted one, is refused', () => {
  const plain = received(file('b'))
  const seal = (inner: FileInfo) => ({
    ...encryptRecord(cipher, plain, encodeRecord(plain), nodeRandom.bytes(24)),
    name: cipher.encryptName('a'),
    encrypted: cipher.file('a').seal(encodeRecord(inner), nodeRandom.bytes(24)),
  })
  assert.equal(decryptRecord(cipher, seal(plain)), undefined)
  assert.equal(decryptRecord(cipher, seal({ ...plain, name: 'a' }))?.name, 'a')
  assert.equal(decryptRecord(cipher, seal({ ...plain, name: 'a', encrypted: Buffer.from('x') })), undefined)
  const garbage = { ...seal(plain), encrypted: cipher.file('a').seal(Buffer.from([255, 255]), nodeRandom.bytes(24)) }
  assert.equal(decryptRecord(cipher, garbage), undefined)
})

test('an item that is invalid here is announced as invalid', async () => {
  const sent = await encryptIndex(DEPS, cipher, dataOf([file('a', { localFlags: FLAG_IGNORED })]))
  const again = await decryptIndex(DEPS, cipher, { ...sent, files: sent.files.map(received) })
  assert.equal(again?.files[0]?.localFlags, FLAG_REMOTE_INVALID)
})
