import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AesSiv } from '../../../src/core/encryption/aes-siv.ts'
import { encryptRecord, openBlock, openRecord } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { isEncryptedParent, isEncryptedPath } from '../../../src/core/encryption/names.ts'
import { parseTokenFile } from '../../../src/core/encryption/token-file.ts'
import { recordLength } from '../../../src/core/encryption/trailer.ts'
import { openBytes, sealBytes } from '../../../src/core/encryption/xchacha.ts'
import { encodeRecord } from '../../../src/protocol/record-bytes.ts'
import { file } from '../../db/records.ts'

const KEY = Buffer.alloc(32, 7)
const NONCE = Buffer.alloc(24, 9)
const cipher = new FolderCipher(KEY, 'photos')

/** Every way to change one bit of some bytes, and to cut or extend them by one. */
function* changesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let i = 0; i < bytes.length * 8; i += 5) {
    const copy = Buffer.from(bytes)
    copy[i >> 3]! ^= 1 << (i & 7)
    yield copy
  }
  yield Buffer.from(bytes.subarray(0, -1))
  yield Buffer.concat([bytes, Buffer.of(0)])
  yield Buffer.alloc(0)
}

test('AES-SIV: what was changed, or sealed for another component, is not opened', () => {
  const siv = new AesSiv(KEY)
  for (const length of [0, 1, 15, 16, 17, 31, 32, 33, 100]) {
    const plain = Buffer.alloc(length, 5)
    const component = Buffer.from('component')
    const sealed = siv.seal(plain, component)
    assert.deepEqual(siv.open(sealed, component), plain)
    assert.equal(siv.open(sealed), undefined)
    assert.equal(siv.open(sealed, Buffer.from('other')), undefined)
    assert.equal(new AesSiv(Buffer.alloc(32, 8)).open(sealed, component), undefined)
    for (const changed of changesOf(sealed)) assert.equal(siv.open(changed, component), undefined)
  }
})

test('XChaCha20-Poly1305: what was changed is not opened', () => {
  const sealed = sealBytes({ key: KEY, nonce: NONCE, padding: Buffer.alloc(0) }, Buffer.from('some bytes'))
  assert.equal(openBytes(KEY, sealed)?.toString(), 'some bytes')
  assert.equal(openBytes(Buffer.alloc(32), sealed), undefined)
  for (const changed of changesOf(sealed)) assert.equal(openBytes(KEY, changed), undefined)
})

test('names: only the one path of a name is decrypted', () => {
  const path = cipher.encryptName('a/b.txt')
  assert.equal(cipher.decryptName(path), 'a/b.txt')
  const flat = path.replaceAll('/', '')
  const others = [
    '',
    '.',
    'a/b.txt',
    path.toLowerCase(),
    `${path}/`,
    `${path}0`,
    flat,
    path.replace('.syncthing-enc', ''),
    `${path.slice(0, -1)}/${path.slice(-1)}`,
    `${path.slice(0, 1)}.syncthing-enc/../${path.slice(16)}`,
    `${path.slice(0, -1)}é`,
    `A.syncthing-enc`,
    `A.syncthing-enc/BC`,
  ]
  for (const other of others) assert.equal(cipher.decryptName(other), undefined, other)
  assert.equal(new FolderCipher(Buffer.alloc(32), 'photos').decryptName(path), undefined)
})

test('names: a sealed name that is not UTF-8 is refused', () => {
  const bytes = new AesSiv(KEY).seal(Buffer.of(0x61, 0xff))
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUV'
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const text = (bits.match(/.{1,5}/g) ?? []).map((part) => digits[Number.parseInt(part.padEnd(5, '0'), 2)]).join('')
  const path = `${text[0]}.syncthing-enc/${text.slice(1, 3)}/${text.slice(3)}`
  assert.ok(isEncryptedPath(path))
  assert.equal(cipher.decryptName(path), undefined)
})

test('names: the directories above encrypted items', () => {
  const long = cipher.encryptName('n'.repeat(250))
  const parts = long.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    assert.ok(isEncryptedParent(parts.slice(0, depth).join('/')), String(depth))
  }
  assert.ok(!isEncryptedParent(long))
  assert.ok(isEncryptedPath(long))
  for (const name of ['', 'A', 'a.syncthing-enc', 'AB.syncthing-enc', 'A.syncthing-enc/b', 'A.syncthing-enc/BC/D']) {
    assert.ok(!isEncryptedParent(name), name)
  }
})

test('blocks: one of another length, name or password is refused before it is cut', () => {
  const fileCipher = cipher.file('a')
  const sealed = fileCipher.seal(Buffer.alloc(2_000, 1), NONCE)
  assert.equal(openBlock(fileCipher, sealed, 2_000)?.length, 2_000)
  assert.equal(openBlock(fileCipher, sealed, 1_999), undefined)
  assert.equal(openBlock(fileCipher, sealed, 2_001), undefined)
  assert.equal(openBlock(cipher.file('b'), sealed, 2_000), undefined)
  const small = sealBytes(fileCipher.sealWith(NONCE, Buffer.alloc(1_021)), Buffer.from('abc'))
  assert.equal(Buffer.from(openBlock(fileCipher, small, 3) ?? []).toString(), 'abc')
  assert.equal(openBlock(fileCipher, fileCipher.seal(Buffer.from('abc'), NONCE), 3), undefined)
})

test('records: a changed record, or one under another name, is not opened', () => {
  const plain = file('a.txt')
  const record = encryptRecord(cipher, plain, encodeRecord(plain), NONCE)
  assert.equal(openRecord(cipher, record)?.name, 'a.txt')
  assert.equal(openRecord(cipher, { ...record, name: cipher.encryptName('b.txt') }), undefined)
  assert.equal(openRecord(cipher, { ...record, name: 'a.txt' }), undefined)
  assert.equal(openRecord(cipher, { ...record, encrypted: undefined }), undefined)
  for (const encrypted of changesOf(record.encrypted!)) {
    assert.equal(openRecord(cipher, { ...record, encrypted }), undefined)
  }
})

test('records: a symlink looks like a directory, and nothing of the plain record is left', () => {
  const plain = file('link', {
    type: 'symlink',
    blockHashes: undefined,
    sizeBytes: 0,
    symlinkTarget: 'secret target',
    permissions: 0o777,
  })
  const record = encryptRecord(cipher, plain, encodeRecord(plain), NONCE)
  assert.equal(record.type, 'directory')
  assert.equal(record.symlinkTarget, '')
  assert.equal(record.blockSizeBytes, 0)
  assert.equal(record.permissions, 0o644)
  assert.equal(record.modifiedS, 1_234_567_890)
})

test('trailers: a length that does not fit the file', () => {
  assert.equal(recordLength(Buffer.of(0, 0, 0, 5), 9), 5)
  assert.equal(recordLength(Buffer.of(0, 0, 0, 5), 8), undefined)
  assert.equal(recordLength(Buffer.of(0, 0, 0, 0), 8), undefined)
  assert.equal(recordLength(Buffer.of(255, 255, 255, 255), 8), undefined)
  assert.equal(recordLength(Buffer.of(0, 0, 0), 8), undefined)
})

test('token files: anything else is none', () => {
  for (const text of ['', 'null', '[]', '{}', '{"FolderID":1,"Token":"YQ=="}', '{"FolderID":"a","Token":""}', '{']) {
    assert.equal(parseTokenFile(text), undefined, text)
  }
})
