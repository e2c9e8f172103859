import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import { COUNTERS_MAX, COUNTER_MAX } from '../../src/core/records/version-vector.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { readIndex } from './read-index.ts'
import { reportRow } from '../support/effort.ts'
import { referenceType } from './reference-schema.ts'
import { type RawFile, HASH, KIB_128, block, GOOD, DIRECTORY, LINK, read } from './raw-file.ts'

function reasonOf(raw: RawFile): string | undefined {
  try {
    read(raw)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ProtocolError && error.kind === 'violation', String(error))
    return error.message
  }
}

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
  assert.equal(read({ ...GOOD, modified_ns: 999_999_999 })?.modifiedNs, 999_999_999)
  assert.equal(read({ ...GOOD, modified_ns: 0 })?.localFlags, 0)
  assert.equal(read({ ...GOOD, modified_ns: -1 })?.modifiedNs, 0)
  assert.equal(read({ ...GOOD, size: KIB_128, blocks: [block(KIB_128)] })?.localFlags, 0, 'one full block')
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
    assert.deepEqual([record?.localFlags, record?.modifiedS], [FLAG_REMOTE_INVALID, 0])
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
  reportRow({ id: 'B-15', tried: tried + 1 })
})

test('blocks of an encrypted record have tokens, and a block size with the overhead; others are not used', () => {
  const sealed = KIB_128 + 40
  const token = new Uint8Array(48).fill(7)
  const blocks = [block(sealed, 0, token), block(sealed, sealed, token), block(1_064, 2 * sealed, token)]
  const encrypted: RawFile = {
    ...GOOD,
    name: '0.syncthing-enc/AB/C',
    encrypted: Buffer.from('sealed'),
    size: 2 * sealed + 1_064,
    block_size: sealed,
    blocks,
  }
  const used = (raw: RawFile) => read(raw)?.blockHashes?.length
  assert.equal(used(encrypted), 3 * 48)
  assert.equal(used({ ...encrypted, block_size: KIB_128 }), undefined, 'a plain block size')
  assert.equal(used({ ...encrypted, encrypted: undefined }), undefined, 'tokens in a plain record')
  const plain = [block(sealed), block(sealed, sealed), block(1_064, 2 * sealed)]
  assert.equal(used({ ...encrypted, blocks: plain }), undefined, 'hashes in an encrypted record')
})
