import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { blocksHashOf } from '../../src/core/records/blocks.ts'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  FLAG_UNSUPPORTED,
  type FileInfo,
} from '../../src/core/records/file-info.ts'
import type { ShortId } from '../../src/core/ids.ts'
import { COUNTERS_MAX, COUNTER_MAX, compareVersions } from '../../src/core/records/version-vector.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { writeIndex } from '../../src/protocol/index-data.ts'
import { readIndex } from './read-index.ts'
import { decode, encode } from '../../src/core/wire/schema.ts'
import { effort, reportRow } from '../support/effort.ts'
import { FULL_INDEX, referenceType } from './reference-schema.ts'

type RawFile = Record<string, unknown>

const HASH = new Uint8Array(32).fill(9)
const KIB_128 = 128 * 1024
const VERSION = { counters: [{ id: 5n, value: 3n }] }

function block(size: number, offset = 0, hash: Uint8Array = HASH): RawFile {
  return { offset, size, hash }
}

const GOOD: RawFile = {
  name: 'a/b',
  size: 10,
  permissions: 0o644,
  modified_s: 100,
  modified_ns: 5,
  version: VERSION,
  sequence: 1,
  block_size: KIB_128,
  blocks: [block(10)],
}
const DIRECTORY: RawFile = { name: 'd', type: 1, permissions: 0o755, version: VERSION, sequence: 1 }
const LINK: RawFile = {
  name: 'l',
  type: 4,
  no_permissions: true,
  version: VERSION,
  sequence: 1,
  symlink_target: Buffer.from('../x'),
}

function bodyOf(files: readonly RawFile[]): Uint8Array {
  return encode(FULL_INDEX, { folder: 'v', files: files as never, last_sequence: files.length })
}

/** The single record of an index as decoded; undefined when it was skipped. */
function read(raw: RawFile): FileInfo | undefined {
  return [...readIndex(bodyOf([raw]), 'index')][0]?.files[0]
}

function fullFileOf(body: Uint8Array): RawFile {
  return decode(FULL_INDEX, body, 1_000).files[0] ?? {}
}

function reasonOf(raw: RawFile): string | undefined {
  try {
    read(raw)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ProtocolError && error.kind === 'violation', String(error))
    return error.message
  }
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

test('B-13: records that violate the rules close the connection, with the reason', () => {
  const cases: readonly (readonly [RawFile, string])[] = [
    [{ ...GOOD, name: 'q', deleted: true }, '"q": deleted file with non-empty block list'],
    [{ ...DIRECTORY, name: 'q', blocks: [block(1)] }, '"q": directory with non-empty block list'],
    [{ ...LINK, name: 'q', blocks: [block(1)] }, '"q": non-file type with non-empty block list'],
    [{ ...DIRECTORY, name: 'q', size: 5 }, '"q": non-file type with nonzero size'],
    [{ ...LINK, name: 'q', size: 5 }, '"q": non-file type with nonzero size'],
    [{ ...GOOD, name: 'q', blocks: [] }, '"q": file with empty block list'],
    [{ ...GOOD, name: 'q', sequence: -1 }, '"q": sequence number out of range'],
    [{ ...GOOD, name: '' }, '"": filename not in canonical format'],
    [{ ...GOOD, name: 'a//b' }, '"a//b": filename not in canonical format'],
    [{ ...GOOD, name: 'a/' }, '"a/": filename not in canonical format'],
    [{ ...GOOD, name: 'a/../b' }, '"a/../b": filename not in canonical format'],
    [{ ...GOOD, name: './b' }, '"./b": filename not in canonical format'],
    [{ ...GOOD, name: 'a/..' }, '"a/..": filename not in canonical format'],
    [{ ...GOOD, name: '../x' }, '"../x": filename is invalid'],
    [{ ...GOOD, name: '..' }, '"..": filename is invalid'],
    [{ ...GOOD, name: '.' }, '".": filename is invalid'],
    [{ ...GOOD, name: '/x' }, '"/x": filename is invalid'],
  ]
  for (const [raw, reason] of cases) assert.equal(reasonOf(raw), `protocol error on index for v: ${reason}`)
  reportRow({ id: 'B-13', tried: cases.length, closed: cases.length })
})

test('unusual but valid names are kept', () => {
  for (const name of ['..a', 'a..', '...', 'a/...', '.a/b', 'a\\b', 'a\nb', 'ü/é', ' ', '~', 'a/.b', 'COM1']) {
    assert.equal(read({ ...GOOD, name })?.name, name)
    assert.equal(read({ ...GOOD, name })?.localFlags, 0)
  }
})

test('B-12: inconsistent records are kept as invalid or skipped', () => {
  const two = [block(KIB_128), block(10, KIB_128)]
  const cases: readonly (readonly [string, RawFile, 'invalid' | 'left out'])[] = [
    ['size 2^52', { ...GOOD, size: 2 ** 52 }, 'invalid'],
    ['size -1', { ...GOOD, size: -1 }, 'invalid'],
    ['size is not the sum of the blocks', { ...GOOD, size: 11 }, 'invalid'],
    ['block size odd', { ...GOOD, block_size: KIB_128 + 1 }, 'invalid'],
    ['block size too large', { ...GOOD, block_size: 32 * 1024 * 1024 }, 'invalid'],
    ['block size 2^31-1', { ...GOOD, block_size: 2 ** 31 - 1 }, 'invalid'],
    ['block larger than the block size', { ...GOOD, size: KIB_128 * 2, blocks: [block(KIB_128 * 2)] }, 'invalid'],
    ['blocks overlap', { ...GOOD, size: KIB_128 + 10, blocks: [block(KIB_128), block(10, 5)] }, 'invalid'],
    ['blocks unsorted', { ...GOOD, size: KIB_128 + 10, blocks: [two[1]!, two[0]!] }, 'invalid'],
    ['a gap', { ...GOOD, size: KIB_128 + 10, blocks: [block(KIB_128), block(10, KIB_128 + 1)] }, 'invalid'],
    ['a short block in the middle', { ...GOOD, size: 20, blocks: [block(10), block(10, 10)] }, 'invalid'],
    ['an empty last block', { ...GOOD, size: KIB_128, blocks: [block(KIB_128), block(0, KIB_128)] }, 'invalid'],
    ['a negative block', { ...GOOD, size: -5, blocks: [block(-5)] }, 'invalid'],
    ['hash of 31 bytes', { ...GOOD, blocks: [block(10, 0, new Uint8Array(31))] }, 'invalid'],
    ['hash of 33 bytes', { ...GOOD, blocks: [block(10, 0, new Uint8Array(33))] }, 'invalid'],
    ['no hash', { ...GOOD, blocks: [block(10, 0, new Uint8Array(0))] }, 'invalid'],
    [
      'second hash missing',
      { ...GOOD, size: KIB_128 + 10, blocks: [two[0]!, block(10, KIB_128, new Uint8Array(0))] },
      'invalid',
    ],
    ['nanoseconds negative', { ...GOOD, modified_ns: -1 }, 'invalid'],
    ['nanoseconds of a second and more', { ...GOOD, modified_ns: 1_000_000_000 }, 'invalid'],
    ['name not in NFC', { ...GOOD, name: 'u\u0308' }, 'invalid'],
    ['target not UTF-8', { ...LINK, symlink_target: Buffer.from('ff', 'hex') }, 'invalid'],
    ['target with NUL', { ...LINK, symlink_target: Buffer.from('a\0b') }, 'invalid'],
    ['target empty', { ...LINK, symlink_target: new Uint8Array(0) }, 'invalid'],
    ['called invalid by its device', { ...GOOD, invalid: true }, 'invalid'],
    ['invalid, without blocks', { ...GOOD, invalid: true, blocks: [] }, 'invalid'],
    ['type 9', { ...GOOD, type: 9 }, 'left out'],
    ['type -1', { ...GOOD, type: -1 }, 'left out'],
    ['name with NUL', { ...GOOD, name: 'a\0b' }, 'left out'],
    ['name of 100,000 characters', { ...GOOD, name: 'a'.repeat(100_000) }, 'left out'],
  ]
  for (const [name, raw, expected] of cases) {
    const record = read(raw)
    assert.equal(
      record === undefined ? 'left out' : record.localFlags === FLAG_REMOTE_INVALID ? 'invalid' : 'valid',
      expected,
      name,
    )
    if (record === undefined) continue
    assert.ok(
      record.sizeBytes >= 0 && Number.isSafeInteger(record.sizeBytes) && Number.isSafeInteger(record.modifiedS),
      name,
    )
  }
  assert.equal(read({ ...GOOD, permissions: 0o107777 })?.permissions, 0o777, 'only the nine bits that are ours')
  assert.equal(read({ ...GOOD, block_size: 0 })?.blockSizeBytes, KIB_128, 'no block size means the smallest')
  assert.equal(read({ ...GOOD, size: KIB_128 + 10, blocks: two })?.localFlags, 0)
  reportRow({ id: 'B-12', tried: cases.length, refused: cases.length })
})

test('B-12: times and sequences beyond safe integers are not misread', () => {
  const reference = referenceType('Index')
  const withNumbers = (numbers: object) => {
    const raw = { folder: 'v', files: [{ name: 'd', type: 1, ...numbers }] }
    return reference.encode(reference.fromObject(raw)).finish()
  }
  for (const modified_s of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
    const record = [...readIndex(withNumbers({ modified_s, sequence: 1 }), 'index')][0]?.files[0]
    assert.equal(record?.localFlags, FLAG_REMOTE_INVALID)
  }
  const huge = { name: 'x', size: '4611686018427387904', sequence: 1, blocks: [{ size: 10, hash: HASH }] }
  const [data] = readIndex(reference.encode(reference.fromObject({ folder: 'v', files: [huge] })).finish(), 'index')
  assert.deepEqual([data?.files[0]?.sizeBytes, data?.files[0]?.localFlags], [0, FLAG_REMOTE_INVALID])
  for (const sequence of ['9223372036854775807', '9007199254740992', '-1']) {
    assert.throws(() => [...readIndex(withNumbers({ sequence }), 'index')], /sequence number out of range/)
  }
})

test('deprecated symlink types are symlinks', () => {
  for (const type of [2, 3, 4]) assert.equal(read({ ...LINK, type })?.type, 'symlink')
  assert.equal(read(LINK)?.symlinkTarget, '../x')
  assert.equal(read({ ...DIRECTORY, size: 128 })?.sizeBytes, 0)
})

const hashes = (count: number) => fc.uint8Array({ minLength: 32 * count, maxLength: 32 * count })
const name = fc
  .array(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .map((part) => part.replace(/[/\0]/g, '_').normalize('NFC')),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join('/'))
  .filter(
    (value) =>
      !value.split('/').some((part) => part === '' || part === '.' || part === '..') &&
      value.isWellFormed() &&
      value.normalize('NFC') === value,
  )

const record: fc.Arbitrary<FileInfo> = fc
  .record({
    name,
    type: fc.constantFrom('file' as const, 'directory' as const, 'symlink' as const),
    deleted: fc.boolean(),
    count: fc.integer({ min: 1, max: 5 }),
    lastBytes: fc.integer({ min: 1, max: KIB_128 }),
    modifiedS: fc.maxSafeInteger(),
    modifiedNs: fc.integer({ min: 0, max: 999_999_999 }),
    permissions: fc.integer({ min: 0, max: 0o777 }),
    noPermissions: fc.boolean(),
    version: fc.uniqueArray(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { maxLength: 4 }),
    value: fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }),
    counter: fc.bigInt({ min: 1n, max: COUNTER_MAX }),
    sequence: fc.nat(),
    target: fc.string({ minLength: 1, maxLength: 10 }).filter((text) => !text.includes('\0')),
  })
  .chain((parts) =>
    hashes(parts.count).map((blockHashes): FileInfo => {
      const live = parts.type === 'file' && !parts.deleted
      const version = parts.version
        .toSorted((a, b) => (a < b ? -1 : 1))
        .map((device) => ({ device: device as ShortId, value: parts.counter }))
      return {
        name: parts.name,
        type: parts.type,
        deleted: parts.deleted,
        modifiedS: parts.modifiedS,
        modifiedNs: parts.modifiedNs,
        permissions: parts.permissions,
        noPermissions: parts.noPermissions,
        version,
        modifiedBy: parts.value as ShortId,
        sequence: parts.sequence,
        localFlags: 0,
        sizeBytes: live ? (parts.count - 1) * KIB_128 + parts.lastBytes : 0,
        blockSizeBytes: live ? KIB_128 : 0,
        blockHashes: live ? blockHashes : undefined,
        blocksHash: live ? new Uint8Array(blocksHashOf(blockHashes)) : undefined,
        symlinkTarget: parts.type === 'symlink' && !parts.deleted ? parts.target : '',
      }
    }),
  )

/** Bytes as plain arrays, so that a Buffer equals a Uint8Array of the same bytes. */
function comparable(file: FileInfo): object {
  return {
    ...file,
    blockHashes: file.blockHashes && [...file.blockHashes],
    blocksHash: file.blocksHash && [...file.blocksHash],
  }
}

test('encoded local records are decoded equally by us and by protobufjs', () => {
  const reference = referenceType('Index')
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (files) => {
      const body = writeIndex({ folder: 'f', files, lastSequence: 7, prevSequence: 3 })
      const [data, ...more] = readIndex(body, 'index update')
      assert.equal(more.length, 0)
      assert.deepEqual(data?.files.map(comparable), files.map(comparable))
      assert.deepEqual([data?.folder, data?.lastSequence, data?.prevSequence], ['f', 7, 3])
      const theirs = reference.toObject(reference.decode(body), { longs: String, defaults: true, arrays: true })
      assert.deepEqual(
        theirs['files'].map((file: { name: string }) => file.name),
        files.map((file) => file.name),
      )
      for (const [i, file] of files.entries()) {
        const sizes: number[] = theirs['files'][i].blocks.map((each: { size: number }) => each.size)
        assert.equal(
          sizes.reduce((a, b) => a + b, 0),
          file.sizeBytes,
        )
        assert.equal(Number(theirs['files'][i].size), file.sizeBytes)
        assert.deepEqual(
          theirs['files'][i].version?.counters.map((counter: { id: string }) => counter.id) ?? [],
          file.version.map(({ device }) => device.toString()),
        )
      }
    }),
    { numRuns: effort(300) },
  )
})

test('an empty file has one empty block', () => {
  const empty = { ...read(GOOD)!, sizeBytes: 0 }
  const again = [
    ...readIndex(writeIndex({ folder: 'v', files: [empty], lastSequence: 1, prevSequence: 0 }), 'index'),
  ][0]?.files[0]
  assert.deepEqual(comparable(again!), comparable(empty))
})

test('local flags are not sent: peers receive "invalid"', () => {
  const sent = (localFlags: number) => {
    const file = { ...read(GOOD)!, localFlags }
    return [...readIndex(writeIndex({ folder: 'v', files: [file], lastSequence: 1, prevSequence: 0 }), 'index')][0]!
      .files[0]!
  }
  for (const flag of [FLAG_UNSUPPORTED, FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_REMOTE_INVALID]) {
    assert.equal(sent(flag).localFlags, FLAG_REMOTE_INVALID)
    assert.deepEqual(sent(flag).version, [{ device: 5n, value: 3n }])
  }
  assert.equal(sent(FLAG_RECEIVE_ONLY).localFlags, FLAG_REMOTE_INVALID)
  assert.deepEqual(sent(FLAG_RECEIVE_ONLY).version, [], 'a change in a receive-only folder has no version for peers')
  const unhashed = { ...read(GOOD)!, blockHashes: undefined, blocksHash: undefined }
  const [data] = readIndex(writeIndex({ folder: 'v', files: [unhashed], lastSequence: 1, prevSequence: 0 }), 'index')
  assert.equal(data?.files[0]?.localFlags, FLAG_REMOTE_INVALID)
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
  reportRow({ id: 'B-09', tried: 6, counters: COUNTERS_MAX, disagreements: 0 })
})

test('a version that no edit can have made is not used, and the record does not end the connection', () => {
  const flags = (counters: readonly object[]) => read({ ...GOOD, version: { counters } })!.localFlags
  assert.equal(flags([{ id: 5n, value: COUNTER_MAX }]), 0)
  assert.equal(flags([{ id: 5n, value: COUNTER_MAX + 1n }]), FLAG_REMOTE_INVALID)
  assert.equal(flags([{ id: 5n, value: (1n << 64n) - 1n }]), FLAG_REMOTE_INVALID)
  const many = (length: number) => Array.from({ length }, (_, i) => ({ id: BigInt(i), value: 1n }))
  assert.equal(flags(many(COUNTERS_MAX)), 0)
  assert.equal(flags(many(COUNTERS_MAX + 1)), FLAG_REMOTE_INVALID)
})

test('B-15: each text of an index may be empty: read or refused, never a crash', () => {
  let tried = 0
  for (const raw of [GOOD, DIRECTORY, LINK]) {
    for (const field of ['name', 'symlink_target', 'blocks_hash', 'version', 'encrypted']) {
      const emptied = {
        ...raw,
        [field]: field === 'name' ? '' : field === 'version' ? { counters: [] } : new Uint8Array(0),
      }
      if (field === 'name') assert.match(reasonOf(emptied) ?? '', /canonical/)
      else assert.ok(read(emptied) !== undefined)
      tried++
    }
  }
  assert.deepEqual(
    [...readIndex(new Uint8Array(0), 'index')],
    [{ folder: '', files: [], lastSequence: 0, prevSequence: 0 }],
  )
  reportRow({ id: 'B-15', tried: tried + 1, crashes: 0 })
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
