import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../../src/core/ids.ts'
import { decode, encode } from '../../../src/core/wire/schema.ts'
import { PARTS_MAX, STORED_FILE } from '../../../src/db/syncthing/messages.ts'
import { ownRecord } from '../../../src/db/syncthing/record.ts'

const CONTENT_BYTES = 1_000
const TRAILER_BYTES = 123

for (const noted of [TRAILER_BYTES, 0]) {
  test(`an encrypted file whose trailer is ${noted > 0 ? '' : 'not '}noted has its content and size on disk`, () => {
    const blocks = [{ size: CONTENT_BYTES, hash: new Uint8Array(48).fill(1) }]
    const stored = encode(STORED_FILE, {
      name: 'f',
      size: CONTENT_BYTES + TRAILER_BYTES,
      modified_s: 1_234_567_890,
      sequence: 1,
      block_size: 131_112,
      encrypted: new Uint8Array(10).fill(2),
      encryption_trailer_size: noted,
    } as never)
    const file = decode(STORED_FILE, stored, PARTS_MAX)
    const version = [{ device: 1n as ShortId, value: 1n }]
    const record = ownRecord({ file, version, blocks, localFlags: 0 })
    assert.deepEqual([record?.sizeBytes, record?.trailerBytes], [CONTENT_BYTES, TRAILER_BYTES])
  })
}
