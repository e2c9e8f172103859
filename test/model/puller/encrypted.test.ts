import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encryptRecord, openBlock, openRecord, paddedSize } from '../../../src/core/encryption/encrypted-record.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import { recordLength } from '../../../src/core/encryption/trailer.ts'
import { blocksOf } from '../../../src/core/records/block-diff.ts'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { bumpVersion } from '../../../src/core/records/version-vector.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { decodeRecord, encodeRecord } from '../../../src/protocol/record-bytes.ts'
import { DOCS, NEVER } from '../../support/model.ts'
import { PEER_SHORT, recordFor, type ItemOptions } from './sim-peer.ts'
import { ROOT, SimPull } from './sim-pull.ts'
import { sealBytes } from '../../../src/core/encryption/xchacha.ts'

const cipher = new FolderCipher(Buffer.alloc(32, 5), DOCS)
const random = new SimRandom(1)
const BLOCK = 131_072
const ALL = { page: 1, perPage: 100 }

/** A trusted device that encrypts for the simulated one. */
class Author {
  readonly #pull: SimPull
  readonly #plain = new Map<string, FileInfo>()
  #sequence = 0

  constructor(pull: SimPull) {
    this.#pull = pull
  }

  /** Returns the encrypted path. */
  put(name: string, content: Uint8Array | string, options: ItemOptions = {}): string {
    const data = Buffer.from(content)
    const version = bumpVersion(this.#plain.get(name)?.version ?? [], PEER_SHORT, 1_700_000_000)
    const plain = { ...recordFor(name, data, version, options), sequence: ++this.#sequence }
    this.#plain.set(name, plain)
    const sent = encryptRecord(cipher, plain, encodeRecord(plain), random.bytes(24))
    const record = decodeRecord(encodeRecord(sent))
    assert.ok(record !== undefined)
    const blocks = (blocksOf(plain) ?? []).map(({ offsetBytes, sizeBytes }) => {
      const block = data.subarray(offsetBytes, offsetBytes + sizeBytes)
      const padding = random.bytes(paddedSize(sizeBytes) - sizeBytes)
      return sealBytes(cipher.file(name).sealWith(random.bytes(24), padding), block)
    })
    this.#pull.peer.records.set(record.name, record)
    this.#pull.peer.contents.set(record.name, Buffer.concat(blocks))
    return record.name
  }
}

async function start(): Promise<{ readonly pull: SimPull; readonly author: Author } & AsyncDisposable> {
  const pull = await SimPull.start({ folder: { type: 'receiveencrypted', ignorePerms: true } })
  return { pull, author: new Author(pull), [Symbol.asyncDispose]: () => pull[Symbol.asyncDispose]() }
}

/** Restores a stored file by its bytes and the password alone. */
async function restored(pull: SimPull, path: string): Promise<{ readonly record: FileInfo; readonly text: string }> {
  const stored = Buffer.from(await pull.read(path), 'latin1')
  const length = recordLength(stored.subarray(-4), stored.length)
  assert.ok(length !== undefined)
  const outer = decodeRecord(stored.subarray(-4 - length, -4))
  const opened = outer === undefined ? undefined : openRecord(cipher, outer)
  const record = opened === undefined ? undefined : decodeRecord(opened.encoded)
  assert.ok(outer !== undefined && record !== undefined)
  assert.equal(outer.name, path)
  assert.equal(stored.length, outer.sizeBytes + length + 4)
  const plain = blocksOf(record) ?? []
  const parts = (blocksOf(outer) ?? []).map(({ offsetBytes, sizeBytes, number }) => {
    const sealed = stored.subarray(offsetBytes, offsetBytes + sizeBytes)
    const part = openBlock(cipher.file(record.name), sealed, plain[number]!.sizeBytes)
    assert.ok(part !== undefined)
    return part
  })
  return { record, text: Buffer.concat(parts).toString('latin1') }
}

test('receiveencrypted: files, directories and symlinks are stored, restorable, and settled', async () => {
  await using setup = await start()
  const { pull, author } = setup
  const small = author.put('small', 'a small text')
  const empty = author.put('empty', '')
  const large = author.put('large', Buffer.alloc(3 * BLOCK + 5, 'abc'))
  const link = author.put('link', '', { type: 'symlink', symlinkTarget: 'small' })
  await pull.sync()
  assert.equal((await restored(pull, small)).text, 'a small text')
  assert.equal((await restored(pull, empty)).text, '')
  assert.equal((await restored(pull, large)).text, Buffer.alloc(3 * BLOCK + 5, 'abc').toString())
  assert.ok((await pull.tree()).includes(`${link}/`))
  assert.deepEqual(await pull.hub.while(pull.hub.model.localChanged(DOCS, ALL, NEVER)), [])
  await pull.assertSettled()
})

test('receiveencrypted: only changed blocks are fetched; none of a file whose record alone changed', async () => {
  await using setup = await start()
  const { pull, author } = setup
  const content = Buffer.alloc(4 * BLOCK, 'x')
  const path = author.put('file', content)
  await pull.sync()
  assert.equal(pull.peer.requests.length, 4)
  content.write('changed', 2 * BLOCK)
  author.put('file', content)
  await pull.sync()
  assert.deepEqual(
    pull.peer.requests.slice(4).map(({ blockNumber }) => blockNumber),
    [2],
  )
  const sealed = pull.peer.contents.get(path)!
  assert.notEqual(sealed.compare(Buffer.from(await pull.read(path), 'latin1').subarray(0, sealed.length)), 0)
  author.put('file', content, { permissions: 0o600, modifiedS: 5 })
  await pull.sync()
  assert.equal(pull.peer.requests.length, 5)
  const { record, text } = await restored(pull, path)
  assert.equal(text, content.toString('latin1'))
  assert.equal(record.permissions, 0o600)
  assert.equal(record.modifiedS, 5)
  await pull.assertSettled()
})

test('receiveencrypted: deletions remove the directories above, which are no items', async () => {
  await using setup = await start()
  const { pull, author } = setup
  author.put('file', 'text')
  author.put('directory', '', { type: 'directory' })
  await pull.sync()
  assert.equal((await pull.index.needs.counts()).local.directories, 1)
  author.put('file', '', { deleted: true })
  author.put('directory', '', { type: 'directory', deleted: true })
  await pull.sync()
  assert.deepEqual(await pull.tree(), [])
  await pull.assertSettled()
})

test('receiveencrypted: what does not belong is listed, and removed or restored by a revert', async () => {
  await using setup = await start()
  const { pull, author } = setup
  const edited = author.put('edited', 'text')
  const removed = author.put('removed', 'another text')
  await pull.sync()
  pull.disk.put(`${ROOT}/${edited}`, 'damaged')
  await pull.disk.removeFile(`${ROOT}/${removed}`)
  pull.disk.put(`${ROOT}/plain.txt`, 'a plain file')
  await pull.scan()
  const changed = await pull.hub.while(pull.hub.model.localChanged(DOCS, ALL, NEVER))
  assert.deepEqual(changed.map(({ name }) => name).sort(), [edited, 'plain.txt', removed].sort())
  for (const { encrypted } of changed) assert.equal(encrypted, undefined, 'never announced')
  await pull.hub.while(pull.hub.model.revert(DOCS))
  await pull.rest()
  assert.equal((await restored(pull, edited)).text, 'text')
  assert.equal((await restored(pull, removed)).text, 'another text')
  assert.ok(!(await pull.tree()).includes('plain.txt'))
  await pull.assertSettled()
})

test('receiveencrypted: a newer version replaces a damaged file without a conflict copy', async () => {
  await using setup = await start()
  const { pull, author } = setup
  const path = author.put('file', 'text')
  await pull.sync()
  pull.disk.put(`${ROOT}/${path}`, 'damaged')
  await pull.scan()
  author.put('file', 'newer text')
  await pull.sync()
  assert.equal((await restored(pull, path)).text, 'newer text')
  assert.deepEqual(
    (await pull.tree()).filter((name) => name.includes('conflict')),
    [],
  )
  await pull.assertSettled()
})

test('receiveencrypted: a block of another length is not written', async () => {
  await using setup = await start()
  const { pull, author } = setup
  const path = author.put('file', Buffer.alloc(2 * BLOCK, 'y'))
  pull.peer.serve = async ({ blockNumber }, data) => (blockNumber === 1 ? data.subarray(1) : data)
  await pull.sync()
  assert.deepEqual(await pull.needed(), [path])
  pull.peer.serve = async (_request, data) => data
  await pull.sync()
  assert.equal((await restored(pull, path)).text.length, 2 * BLOCK)
  await pull.assertSettled()
})
