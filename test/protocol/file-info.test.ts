import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksHashOf } from '../../src/core/records/blocks.ts'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import { COUNTERS_MAX, compareVersions } from '../../src/core/records/version-vector.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { writeIndex } from '../../src/protocol/index-data.ts'
import { readIndex } from './read-index.ts'
import { decode } from '../../src/core/wire/schema.ts'
import { reportRow } from '../support/effort.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { type RawFile, HASH, KIB_128, GOOD, DIRECTORY, LINK, bodyOf, read } from './raw-file.ts'

function fullFileOf(body: Uint8Array): RawFile {
  return decode(FULL_INDEX, body, 1_000).files[0] ?? {}
}

test('a plain record is decoded completely', () => {
  assert.deepEqual(
    { ...read(GOOD), blockHashes: undefined, blocksHash: undefined },
    {
      name: 'a/b',
      type: 'file',
      deleted: false,
      sizeBytes: 10,
      modifiedS: 100,
      modifiedNs: 5,
      permissions: 0o644,
      noPermissions: false,
      version: [{ device: 5n, value: 3n }],
      modifiedBy: 0n,
      sequence: 1,
      localFlags: 0,
      blockSizeBytes: KIB_128,
      blocksHash: undefined,
      symlinkTarget: '',
      blockHashes: undefined,
    },
  )
  assert.deepEqual(new Uint8Array(read(GOOD)!.blockHashes!), HASH)
})

test('the blocks hash is computed locally, not the sent one', () => {
  const record = read({ ...GOOD, blocks_hash: new Uint8Array(32).fill(1) })
  assert.deepEqual(new Uint8Array(record!.blocksHash!), new Uint8Array(blocksHashOf(HASH)))
})

test('opaque fields are kept and sent unchanged', () => {
  const platforms: readonly RawFile[] = [
    {},
    { unix: { owner_name: 'ann', group_name: 'users', uid: 1000, gid: 100 } },
    {
      windows: { owner_name: 'BUILTIN\\x', owner_is_group: true },
      linux: { xattrs: [{ name: 'user.a', value: Buffer.from([0, 255]) }] },
    },
    { linux: {}, netbsd: { xattrs: [] } },
  ]
  const passedOn = { encrypted: Buffer.from('sealed'), previous_blocks_hash: new Uint8Array(32).fill(4) }
  for (const raw of [GOOD, DIRECTORY, LINK, { ...GOOD, blocks: [], deleted: true, size: 0 }]) {
    for (const platform of platforms) {
      const body = bodyOf([{ ...raw, ...passedOn, platform }])
      const file = [...readIndex(body, 'index')][0]?.files[0]
      const theirs = fullFileOf(body)
      const again = fullFileOf(writeIndex({ folder: 'v', files: [file!], lastSequence: 1, prevSequence: 0 }))
      assert.deepEqual(
        [again.platform, again.encrypted, again.previous_blocks_hash],
        [theirs.platform, theirs.encrypted, theirs.previous_blocks_hash],
      )
    }
  }
})

test('attributes of unknown platforms are kept too, and repeated ones are concatenated', () => {
  // A FileInfo by hand: name, then platform twice: field 99 with some bytes, field 1 with a uid.
  const file = Buffer.from('0a016172059a0602abcd72040a021801', 'hex')
  const body = Buffer.concat([
    Buffer.from('0a0176', 'hex'),
    Buffer.from([0x12, file.length + 2]),
    file,
    Buffer.from('1001', 'hex'),
  ])
  const record = [...readIndex(body, 'index')][0]?.files[0]
  assert.equal(Buffer.from(record!.platform!).toString('hex'), '9a0602abcd0a021801')
  const again = writeIndex({ folder: 'v', files: [record!], lastSequence: 1, prevSequence: 0 })
  assert.ok(Buffer.from(again).includes(Buffer.from('72099a0602abcd0a021801', 'hex')))
})

test('invalid opaque fields are not passed on', () => {
  const broken = Buffer.from('0a0161100172030a057f', 'hex')
  const body = Buffer.concat([Buffer.from('0a0176', 'hex'), Buffer.from([0x12, broken.length]), broken])
  assert.throws(() => [...readIndex(body, 'index')], ProtocolError)
  const short = read({ ...GOOD, previous_blocks_hash: new Uint8Array(31) })
  assert.equal(short !== undefined && 'previousBlocksHash' in short, false)
  const huge = read({
    ...DIRECTORY,
    platform: { linux: { xattrs: [{ name: 'user.a', value: new Uint8Array(1 << 20) }] } },
  })
  assert.equal(huge !== undefined && 'platform' in huge, false)
})

test('B-09: version vectors of any kind are read, sorted and comparable', () => {
  const counters = Array.from({ length: COUNTERS_MAX }, (_, i) => ({
    id: BigInt((i * 7_919) % 100_003),
    value: BigInt(i + 1),
  }))
  const extreme = [
    { id: (1n << 64n) - 1n, value: (1n << 64n) - 1n },
    { id: 0n, value: 1n },
  ]
  const raw = (list: readonly object[]): RawFile => ({ ...GOOD, version: { counters: list } })
  const large = read(raw(counters))!
  assert.equal(large.version.length, COUNTERS_MAX)
  assert.ok(large.version.every((counter, i) => i === 0 || large.version[i - 1]!.device < counter.device))
  assert.equal(compareVersions(large.version, read(raw(counters.toReversed()))!.version), 'equal')
  assert.deepEqual(read(raw(extreme))!.version, [
    { device: 0n, value: 1n },
    { device: (1n << 64n) - 1n, value: (1n << 64n) - 1n },
  ])
  const twice = [
    { id: 5n, value: 1n },
    { id: 5n, value: 9n },
    { id: 5n, value: 4n },
  ]
  assert.deepEqual(read(raw(twice))!.version, [{ device: 5n, value: 9n }])
  assert.deepEqual(
    read(
      raw([
        { id: 5n, value: 0n },
        { id: 0n, value: 0n },
      ]),
    )!.version,
    [],
  )
  const tooMany = Array.from({ length: 100_000 }, (_, i) => ({ id: BigInt(i + 1), value: 1n }))
  const cut = read(raw(tooMany))!
  assert.deepEqual([cut.version.length, cut.localFlags], [COUNTERS_MAX + 1, FLAG_REMOTE_INVALID], 'no more are decoded')
  assert.throws(() => read(raw([...tooMany, ...tooMany])), /inner message/)
  reportRow({ id: 'B-09', tried: 6, counters: COUNTERS_MAX })
})

test('a very large index is split into contiguous parts', () => {
  const files = Array.from({ length: 12_345 }, (_, i) => ({ ...DIRECTORY, name: `d${i}`, sequence: i + 1 }))
  const parts = [...readIndex(bodyOf(files), 'index')]
  assert.ok(parts.length > 1 && parts.every((part) => part.files.length <= 5_000))
  assert.deepEqual(
    parts.flatMap((part) => part.files.map((file) => file.name)),
    files.map((file) => file.name),
  )
  for (const [i, part] of parts.entries()) {
    assert.equal(part.prevSequence, i === 0 ? 0 : parts[i - 1]!.lastSequence)
    assert.equal(part.lastSequence, part.files.at(-1)!.sequence)
  }
})

test('a truncated message is refused before any record of it is used', () => {
  const body = bodyOf(Array.from({ length: 6_000 }, (_, i) => ({ ...DIRECTORY, name: `d${i}`, sequence: i + 1 })))
  const parts = readIndex(body.subarray(0, body.length - 1), 'index')
  assert.throws(() => parts.next(), ProtocolError)
})
