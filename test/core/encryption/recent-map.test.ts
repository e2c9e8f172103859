import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encryptRecord, openRecord } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { RecentMap } from '../../../src/core/encryption/recent-map.ts'
import { encodeRecord } from '../../../src/protocol/record-bytes.ts'
import { file } from '../../db/records.ts'

const NONCE = Buffer.alloc(24, 9)

test('a recent map has the last entries, and no more than its number', () => {
  const map = new RecentMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('b', 3)
  assert.deepEqual([map.get('a'), map.get('b')], [1, 3])
  map.set('c', 4)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 3, 4])
  map.delete('b')
  map.set('d', 5)
  assert.deepEqual([map.get('b'), map.get('c'), map.get('d')], [undefined, 4, 5])
})

test('a record that returns as it was announced is not decrypted, and is kept only until then', () => {
  const cipher = new FolderCipher(Buffer.alloc(32, 7), 'photos')
  const plain = file('a.txt')
  const encoded = encodeRecord(plain)
  const record = encryptRecord(cipher, plain, encoded, NONCE)
  assert.equal(openRecord(cipher, record)?.encoded, encoded)
  const again = openRecord(cipher, record)?.encoded
  assert.notEqual(again, encoded)
  assert.deepEqual(Buffer.from(again!), Buffer.from(encoded))
})

test('the token of a first block is known until its record is confirmed, and no other token is taken for it', () => {
  const cipher = new FolderCipher(Buffer.alloc(32, 7), 'photos')
  const hash = Buffer.alloc(32, 3)
  const token = cipher.file('a').blockToken(hash, 0)
  const second = cipher.file('a').blockToken(hash, 131_072)
  assert.deepEqual(cipher.file('a').hashOfToken(token, 0), hash)
  assert.deepEqual(cipher.file('a').hashOfToken(second, 131_072), hash)
  assert.equal(cipher.file('a').hashOfToken(token, 131_072), undefined)
  assert.equal(cipher.file('a').hashOfToken(second, 0), undefined)
  assert.equal(cipher.file('b').hashOfToken(token, 0), undefined)
  cipher.forget(cipher.encryptName('a'), 'a')
  assert.deepEqual(cipher.file('a').hashOfToken(token, 0), hash)
})
