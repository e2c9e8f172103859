import assert from 'node:assert/strict'
import { hash, scryptSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encryptedOffset, encryptRecord, openBlock, openRecord } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { deriveFileKey, FOLDER_KEY_SCRYPT, folderKeySalt, KEY_BYTES } from '../../../src/core/encryption/keys.ts'
import { parseTokenFile, tokenFileText } from '../../../src/core/encryption/token-file.ts'
import { recordLength, trailerOf } from '../../../src/core/encryption/trailer.ts'
import { NONCE_BYTES, sealBytes } from '../../../src/core/encryption/xchacha.ts'
import { decodeRecord, encodeRecord } from '../../../src/protocol/record-bytes.ts'

interface BlockVector {
  readonly index: number
  readonly plain_offset: number
  readonly plain_size: number
  readonly plain_hash: string
  readonly encrypted_offset: number
  readonly encrypted_size: number
  readonly hash_token: string
}

interface FileVector {
  readonly plain_name: string
  readonly file_key_hex: string
  readonly plain_size: number
  readonly plain_hex?: string
  readonly encrypted_file_hex?: string
  readonly data_length: number
  readonly trailer: { readonly file_info_length: number; readonly file_info_hex: string }
  readonly inner_file_info: { readonly plain_hex: string }
  readonly blocks: readonly BlockVector[]
}

const vectors = JSON.parse(readFileSync(new URL('../../vectors/encryption.json', import.meta.url), 'utf8')) as {
  readonly folder: {
    readonly folder_id: string
    readonly password: string
    readonly folder_key_hex: string
    readonly password_token_hex: string
    readonly token_file: { readonly content: string }
  }
  readonly names: readonly { readonly plain_name: string; readonly encrypted_path: string }[]
  readonly files: readonly FileVector[]
  readonly wire: {
    readonly folder_id: string
    readonly folder_key_hex: string
    readonly password_token_hex: string
    readonly requests: readonly {
      readonly desc: string
      readonly request: { readonly name: string; readonly hash: string }
    }[]
  }
  readonly constructed_and_decrypted_by_reference: {
    readonly folder_id: string
    readonly password: string
    readonly plain_name: string
    readonly plain_sha256: string
    readonly folder_key_hex: string
    readonly file_key_hex: string
    readonly encrypted_path: string
    readonly encrypted_file_sha256: string
    readonly file_info_plain_hex: string
    readonly trailer_file_info_hex: string
  }
}

const unhex = (text: string): Buffer => Buffer.from(text, 'hex')
const { folder, constructed_and_decrypted_by_reference: made } = vectors
const cipher = new FolderCipher(unhex(folder.folder_key_hex), folder.folder_id)

/** The plain bytes of a file of the vectors: in the file, or by the rule it states. */
function plainOf({ plain_hex, plain_size }: FileVector): Buffer {
  if (plain_hex !== undefined) return unhex(plain_hex)
  return Buffer.from(Uint8Array.from({ length: plain_size }, (_, i) => (31 * i + Math.floor(i / 256)) % 256))
}

function storedOf({ encrypted_file_hex }: FileVector): Buffer {
  if (encrypted_file_hex !== undefined) return unhex(encrypted_file_hex)
  return readFileSync(new URL('../../vectors/encryption-big.bin', import.meta.url))
}

for (const { folder_id, password, folder_key_hex } of [folder, made]) {
  test(`folder key of ${folder_id}`, () => {
    const key = scryptSync(password, folderKeySalt(folder_id), KEY_BYTES, FOLDER_KEY_SCRYPT)
    assert.equal(key.toString('hex'), folder_key_hex)
  })
}

test('the password token, and the file that stores it', () => {
  assert.equal(Buffer.from(cipher.passwordToken).toString('hex'), folder.password_token_hex)
  const text = `${folder.token_file.content.trimEnd()}\n`
  assert.equal(tokenFileText(folder.folder_id, cipher.passwordToken), text)
  assert.deepEqual(parseTokenFile(text), { folder: folder.folder_id, token: unhex(folder.password_token_hex) })
  const { wire } = vectors
  const other = new FolderCipher(unhex(wire.folder_key_hex), wire.folder_id)
  assert.equal(Buffer.from(other.passwordToken).toString('hex'), wire.password_token_hex)
})

for (const { plain_name, encrypted_path } of vectors.names) {
  test(`name ${plain_name.slice(0, 30)}, both ways`, () => {
    assert.equal(cipher.encryptName(plain_name), encrypted_path)
    assert.equal(cipher.decryptName(encrypted_path), plain_name)
  })
}

for (const file of vectors.files) {
  const { plain_name, trailer, blocks } = file
  test(`stored file ${plain_name.slice(0, 30)}: key, trailer, record, tokens, blocks`, () => {
    const key = deriveFileKey(unhex(folder.folder_key_hex), plain_name)
    assert.equal(key.toString('hex'), file.file_key_hex)
    const stored = storedOf(file)
    assert.equal(recordLength(stored.subarray(-4), stored.length), trailer.file_info_length)
    assert.deepEqual(trailerOf(unhex(trailer.file_info_hex)), stored.subarray(file.data_length))

    const outer = decodeRecord(unhex(trailer.file_info_hex))
    assert.ok(outer?.blockHashes !== undefined)
    assert.equal(outer.localFlags, 0, 'the record is usable')
    assert.equal(outer.sizeBytes, file.data_length)
    const opened = openRecord(cipher, outer)
    assert.equal(opened?.name, plain_name)
    assert.equal(Buffer.from(opened.encoded).toString('hex'), file.inner_file_info.plain_hex)

    const fileCipher = cipher.file(plain_name)
    const plain = plainOf(file)
    for (const block of blocks) {
      const token = fileCipher.blockToken(unhex(block.plain_hash), block.plain_offset)
      assert.equal(token.toString('hex'), block.hash_token)
      assert.equal(fileCipher.hashOfToken(token, block.plain_offset)?.toString('hex'), block.plain_hash)
      assert.equal(encryptedOffset(block.plain_offset, block.index), block.encrypted_offset)
      const sealed = stored.subarray(block.encrypted_offset, block.encrypted_offset + block.encrypted_size)
      const data = openBlock(fileCipher, sealed, block.plain_size)
      assert.ok(data !== undefined)
      assert.equal(hash('sha256', data), block.plain_hash)
      assert.ok(plain.subarray(block.plain_offset, block.plain_offset + block.plain_size).equals(data))
    }
    // The same record again: everything but the fresh nonce, and what the holder added to the trailer.
    const inner = decodeRecord(opened.encoded)
    assert.ok(inner !== undefined)
    const again = encryptRecord(cipher, inner, opened.encoded, outer.encrypted!.subarray(0, NONCE_BYTES))
    assert.deepEqual(decodeRecord(encodeRecord(again)), outer)
  })
}

test('a legacy token, which does not authenticate the offset, is read', () => {
  const { wire } = vectors
  const legacy = wire.requests.find(({ desc }) => desc.startsWith('legacy'))
  assert.ok(legacy !== undefined)
  const other = new FolderCipher(unhex(wire.folder_key_hex), wire.folder_id)
  const name = other.decryptName(legacy.request.name)
  assert.equal(name, 'one.txt')
  assert.equal(other.file(name).hashOfToken(unhex(legacy.request.hash), 0)?.toString('hex'), hash('sha256', 'one\n'))
})

test('a stored file, byte for byte as the reference decrypted it', () => {
  const other = new FolderCipher(unhex(made.folder_key_hex), made.folder_id)
  const nonce = (x: string): Buffer => hash('sha512', `nonce${x}`, 'buffer').subarray(0, NONCE_BYTES)
  const plain = Buffer.from(Uint8Array.from({ length: 131_077 }, (_, i) => (3 * i + 1) % 256))
  const encoded = unhex(made.file_info_plain_hex)
  const record = decodeRecord(encoded)
  assert.equal(record?.name, made.plain_name)
  const outer = encryptRecord(other, record, encoded, nonce('fi'))
  assert.equal(outer.name, made.encrypted_path)
  // That file was stored without the empty message of owners and attributes.
  const trailer = trailerOf(encodeRecord({ ...outer, platform: undefined }))
  assert.equal(trailer.subarray(0, -4).toString('hex'), made.trailer_file_info_hex)
  const file = other.file(made.plain_name)
  const blocks = [plain.subarray(0, 131_072), plain.subarray(131_072)].map((block, i) =>
    sealBytes(file.sealWith(nonce(String(i)), Buffer.alloc(Math.max(0, 1_024 - block.length), 0xaa)), block),
  )
  assert.equal(hash('sha256', Buffer.concat([...blocks, trailer])), made.encrypted_file_sha256)
})
