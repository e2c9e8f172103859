import assert from 'node:assert/strict'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { decryptReply, encryptRequest } from '../../../src/model/encryption/encrypted-requests.ts'
import type { BlockRequest } from '../../../src/protocol/types.ts'
import { SERVER } from '../../support/config.ts'
import { DOCS } from '../../support/model.ts'
import { BLOCK, NEVER, ServedDirectory, sha256 } from './served-directory.ts'

const cipher = new FolderCipher(Buffer.alloc(32, 3), DOCS)
const LARGE = Buffer.alloc(2 * BLOCK + 5, 'some content ')

function plainRequest(name: string, content: Buffer, blockNumber: number): BlockRequest {
  const block = content.subarray(blockNumber * BLOCK, (blockNumber + 1) * BLOCK)
  return {
    folder: DOCS,
    name,
    offsetBytes: blockNumber * BLOCK,
    sizeBytes: block.length,
    hash: sha256(block),
    fromTemporary: false,
    blockNumber,
  }
}

async function served(): Promise<ServedDirectory> {
  const directory = await ServedDirectory.make()
  directory.cipher = cipher
  await directory.put('large', LARGE)
  await directory.put('empty', Buffer.alloc(0))
  return directory
}

test('an untrusted device gets the announced blocks, encrypted and padded', async () => {
  await using directory = await served()
  for (const [name, content, count] of [
    ['large', LARGE, 3],
    ['empty', Buffer.alloc(0), 1],
  ] as const) {
    for (let number = 0; number < count; number++) {
      const request = plainRequest(name, content, number)
      const reply = await directory.server.serve(SERVER, encryptRequest(cipher, request), NEVER)
      assert.ok(reply.kind === 'data', `${name} ${number}`)
      assert.equal(reply.data.length, Math.max(request.sizeBytes, 1_024) + 40)
      assert.ok(!Buffer.from(reply.data).includes('content'))
      const expected = content.subarray(number * BLOCK, (number + 1) * BLOCK)
      assert.ok(expected.equals(decryptReply(cipher, request, reply.data)))
      assert.throws(() => decryptReply(cipher, { ...request, sizeBytes: request.sizeBytes + 1_025 }, reply.data))
    }
  }
})

test('an untrusted device gets nothing but the announced blocks', async () => {
  await using directory = await served()
  const good = encryptRequest(cipher, plainRequest('large', LARGE, 1))
  const others: readonly (readonly [what: string, change: Partial<BlockRequest>])[] = [
    ['a plain name', { name: 'large' }],
    ['another file', { name: cipher.encryptName('other') }],
    ['an internal file', { name: cipher.encryptName('.stfolder/x') }],
    ['a path outside', { name: cipher.encryptName('../outside/secret') }],
    ['a smaller range', { sizeBytes: good.sizeBytes - 1 }],
    ['a larger range', { sizeBytes: good.sizeBytes + 1 }],
    ['another offset', { offsetBytes: good.offsetBytes - 40 }],
    ['another block', { blockNumber: 0 }],
    ['no such block', { blockNumber: 9 }],
    ['a negative block', { blockNumber: -1 }],
    ['no token', { hash: new Uint8Array(0) }],
    ['a plain hash', { hash: sha256(LARGE.subarray(BLOCK, 2 * BLOCK)) }],
    ['the token of another block', { hash: encryptRequest(cipher, plainRequest('large', LARGE, 2)).hash }],
  ]
  for (const [what, change] of others) {
    assert.equal((await directory.server.serve(SERVER, { ...good, ...change }, NEVER)).kind, 'refused', what)
  }
  assert.equal((await directory.server.serve(SERVER, plainRequest('large', LARGE, 1), NEVER)).kind, 'refused')
})

test('a changed file is hashed before it is encrypted, and refused', async () => {
  await using directory = await served()
  writeFileSync(join(directory.root, 'large'), Buffer.alloc(LARGE.length, 'other'))
  const request = encryptRequest(cipher, plainRequest('large', LARGE, 1))
  assert.deepEqual(await directory.server.serve(SERVER, request, NEVER), { kind: 'refused', code: 'no-such-file' })
  assert.equal(directory.rechecked.length, 1)
})

test('a file with other content behind the same size and time is refused, and rescanned as a whole', async () => {
  await using directory = await served()
  const path = join(directory.root, 'large')
  writeFileSync(path, Buffer.alloc(LARGE.length, 'other'))
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  const request = encryptRequest(cipher, plainRequest('large', LARGE, 1))
  assert.deepEqual(await directory.server.serve(SERVER, request, NEVER), { kind: 'refused', code: 'no-such-file' })
  assert.deepEqual(directory.rechecked, ['large wholly'])
})
