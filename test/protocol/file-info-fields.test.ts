/** Every field of a record alone: what is read from a message, and what is written into one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blocksHashOf } from '../../src/core/records/blocks.ts'
import {
  FLAG_IGNORED,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  type FileInfo,
} from '../../src/core/records/file-info.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { fileFromWire, fileToWire } from '../../src/protocol/file-info.ts'
import { FILE_INFO, type WireFile } from '../../src/protocol/messages.ts'

const KIB_128 = 128 * 1024
const MIB = 1024 * 1024
const HASHES = new Uint8Array(32).fill(9)
const VERSION = { counters: [{ id: 5n, value: 3n }] }

type Blocks = NonNullable<WireFile['blocks']>

function blocks(change: Partial<Blocks> = {}): Blocks {
  const one = { count: 1, hashes: HASHES, hashSizeBytes: 32, blockSizeBytes: 10, sizeBytes: 10, fault: undefined }
  return { ...one, ...change }
}

const FILE: WireFile = {
  ...FILE_INFO.start(),
  name: 'a/b',
  size: 10,
  permissions: 0o644,
  modified_s: 100,
  modified_ns: 5,
  modified_by: 7n,
  version: VERSION,
  sequence: 1,
  block_size: KIB_128,
  blocks: blocks(),
}
const NO_BLOCKS = { size: 0, block_size: 0, blocks: undefined }
const DIRECTORY: WireFile = { ...FILE, ...NO_BLOCKS, type: 1 }
const LINK: WireFile = { ...FILE, ...NO_BLOCKS, type: 4, symlink_target: Buffer.from('../x') }
const DELETED: WireFile = { ...FILE, ...NO_BLOCKS, deleted: true }

/** The text of a violation begins with the name. */
function readingOf(file: WireFile): string {
  try {
    const record = fileFromWire(file)
    return record === undefined ? 'left out' : record.localFlags === 0 ? 'used' : 'invalid'
  } catch (error) {
    assert.ok(error instanceof ProtocolError && error.kind === 'violation', String(error))
    return error.message.replace(`"${file.name}": `, '')
  }
}

const UNSAFE = 2 ** 53
const NONZERO = 'non-file type with nonzero size'
const OUT_OF_RANGE = 'sequence number out of range'
const READINGS: readonly (readonly [what: string, file: WireFile, reading: string])[] = [
  ['a file', FILE, 'used'],
  ['a directory', DIRECTORY, 'used'],
  ['a symlink', LINK, 'used'],
  ['a symlink of the second type', { ...LINK, type: 2 }, 'used'],
  ['a symlink of the third type', { ...LINK, type: 3 }, 'used'],
  ['a deleted file', DELETED, 'used'],
  ['a deleted directory', { ...DIRECTORY, deleted: true }, 'used'],
  ['a deleted symlink without a target', { ...LINK, deleted: true, symlink_target: new Uint8Array(0) }, 'used'],
  ['a type that is not known', { ...DIRECTORY, type: 5 }, 'left out'],
  ['a name that no file can have', { ...DIRECTORY, name: 'a\0' }, 'left out'],
  ['a name outside of the folder', { ...DIRECTORY, name: '../a' }, 'filename is invalid'],
  ['a name in another normal form', { ...DIRECTORY, name: 'u\u0308' }, 'invalid'],
  ['a file that its device calls invalid', { ...FILE, invalid: true }, 'invalid'],
  ['an invalid file without blocks', { ...FILE, invalid: true, blocks: undefined }, 'invalid'],
  ['a directory that its device calls invalid', { ...DIRECTORY, invalid: true }, 'invalid'],
  ['a version that no edit made', { ...FILE, version: { counters: [{ id: 5n, value: 2n ** 64n - 1n }] } }, 'invalid'],
  ['a time that is not exact', { ...FILE, modified_s: UNSAFE }, 'invalid'],
  ['a time before 1970', { ...FILE, modified_s: -1 }, 'used'],
  ['no nanoseconds', { ...FILE, modified_ns: 0 }, 'used'],
  ['the last nanosecond', { ...FILE, modified_ns: 999_999_999 }, 'used'],
  ['a nanosecond more', { ...FILE, modified_ns: 1_000_000_000 }, 'invalid'],
  ['negative nanoseconds', { ...FILE, modified_ns: -1 }, 'invalid'],
  ['a deleted file with blocks', { ...FILE, deleted: true }, 'deleted file with non-empty block list'],
  ['a directory with blocks', { ...DIRECTORY, blocks: blocks() }, 'directory with non-empty block list'],
  ['a symlink with blocks', { ...LINK, blocks: blocks() }, 'non-file type with non-empty block list'],
  ['a directory of 128 bytes', { ...DIRECTORY, size: 128 }, 'used'],
  ['a directory of 1 byte', { ...DIRECTORY, size: 1 }, NONZERO],
  ['a directory of 127 bytes', { ...DIRECTORY, size: 127 }, NONZERO],
  ['a directory of 129 bytes', { ...DIRECTORY, size: 129 }, NONZERO],
  ['a deleted directory of 5 bytes', { ...DIRECTORY, deleted: true, size: 5 }, 'used'],
  ['a symlink of 1 byte', { ...LINK, size: 1 }, NONZERO],
  ['a symlink of 128 bytes', { ...LINK, size: 128 }, NONZERO],
  ['a deleted symlink of 5 bytes', { ...LINK, deleted: true, size: 5 }, 'used'],
  ['a file without blocks', { ...FILE, blocks: undefined }, 'file with empty block list'],
  ['the sequence 0', { ...FILE, sequence: 0 }, 'used'],
  ['a negative sequence', { ...FILE, sequence: -1 }, OUT_OF_RANGE],
  ['a sequence that is not exact', { ...FILE, sequence: UNSAFE }, OUT_OF_RANGE],
  ['blocks with a fault', { ...FILE, blocks: blocks({ fault: 'some' }) }, 'invalid'],
  ['blocks of another size than the file', { ...FILE, size: 11 }, 'invalid'],
  ['no block size, which is the smallest', { ...FILE, block_size: 0 }, 'used'],
  ['an odd block size', { ...FILE, block_size: KIB_128 + 1 }, 'invalid'],
  ['tokens in a plain folder', { ...FILE, blocks: blocks({ hashSizeBytes: 48 }) }, 'invalid'],
  ['one full block', { ...FILE, size: KIB_128, blocks: ofSize(1, KIB_128) }, 'used'],
  ['one block that is too long', { ...FILE, size: KIB_128 + 1, blocks: ofSize(1, KIB_128 + 1) }, 'invalid'],
  ['two full blocks', { ...FILE, size: 2 * KIB_128, blocks: ofSize(2, KIB_128) }, 'used'],
  ['two blocks that are not full', { ...FILE, size: 20, blocks: ofSize(2, 10) }, 'invalid'],
  ['a target of 4 KiB', { ...LINK, symlink_target: Buffer.alloc(4_096, 'x') }, 'used'],
  ['a target of a byte more', { ...LINK, symlink_target: Buffer.alloc(4_097, 'x') }, 'invalid'],
  ['a target that is not UTF-8', { ...LINK, symlink_target: Buffer.from('ff', 'hex') }, 'invalid'],
  ['no target', { ...LINK, symlink_target: new Uint8Array(0) }, 'invalid'],
  ['a target with a NUL', { ...LINK, symlink_target: Buffer.from('a\0') }, 'invalid'],
  ['a directory with the target of a symlink', { ...DIRECTORY, symlink_target: Buffer.from('a\0') }, 'used'],
]

function ofSize(count: number, blockSizeBytes: number): Blocks {
  return blocks({ count, blockSizeBytes, sizeBytes: count * blockSizeBytes, hashes: new Uint8Array(32 * count) })
}

describe('a record with', () => {
  for (const [what, file, reading] of READINGS) {
    it(`${what}: ${reading}`, () => assert.equal(readingOf(file), reading))
  }
})

describe('the fields of a record', () => {
  const read = (file: WireFile): FileInfo => {
    const record = fileFromWire(file)
    assert.ok(record !== undefined)
    return record
  }

  it('are those of the message', () => {
    assert.deepEqual(read(FILE), {
      name: 'a/b',
      type: 'file',
      deleted: false,
      sizeBytes: 10,
      modifiedS: 100,
      modifiedNs: 5,
      permissions: 0o644,
      noPermissions: false,
      version: [{ device: 5n, value: 3n }],
      modifiedBy: 7n,
      sequence: 1,
      localFlags: 0,
      blockSizeBytes: KIB_128,
      blocksHash: blocksHashOf(HASHES),
      blockHashes: HASHES,
      symlinkTarget: '',
    })
    assert.deepEqual([read(DIRECTORY).type, read({ ...LINK, no_permissions: true }).noPermissions], ['directory', true])
  })

  it('without a usable value are 0', () => {
    const size = (file: WireFile) => read(file).sizeBytes
    assert.equal(size({ ...FILE, size: UNSAFE }), 0)
    assert.equal(size({ ...FILE, size: -1, blocks: blocks({ sizeBytes: -1 }) }), 0)
    assert.deepEqual([size({ ...DELETED, size: 5 }), size({ ...DIRECTORY, size: 128 })], [0, 0])
    assert.deepEqual([read({ ...FILE, modified_s: UNSAFE }).modifiedS, read(FILE).modifiedS], [0, 100])
    for (const modified_ns of [-1, 1_000_000_000]) assert.equal(read({ ...FILE, modified_ns }).modifiedNs, 0)
    assert.equal(read({ ...FILE, modified_ns: 999_999_999 }).modifiedNs, 999_999_999)
  })

  it('are the nine bits of the permissions', () => {
    for (const [permissions, wanted] of [
      [0o777, 0o777],
      [0o7777, 0o777],
      [0o1000, 0],
      [0, 0],
    ] as const)
      assert.equal(read({ ...FILE, permissions }).permissions, wanted)
  })

  it('are those of blocks that can be used, and none otherwise', () => {
    const none = { blockSizeBytes: 0, blocksHash: undefined, blockHashes: undefined }
    for (const file of [{ ...FILE, size: 11 }, DIRECTORY, DELETED]) {
      const { blockSizeBytes, blocksHash, blockHashes } = read(file)
      assert.deepEqual({ blockSizeBytes, blocksHash, blockHashes }, none)
    }
    assert.equal(read({ ...FILE, block_size: 0 }).blockSizeBytes, KIB_128)
    assert.equal(read({ ...FILE, block_size: 2 * KIB_128 }).blockSizeBytes, 2 * KIB_128)
  })

  it('are the target of a symlink, with a byte order mark', () => {
    const target = (text: string, change = {}) => read({ ...LINK, symlink_target: Buffer.from(text), ...change })
    assert.equal(target('\ufeffa').symlinkTarget, '\ufeffa')
    assert.deepEqual([target('a\0').symlinkTarget, target('a', { deleted: true }).symlinkTarget], ['', ''])
    assert.equal(target('a', { type: 1 }).symlinkTarget, '')
  })

  it('with tokens are those of an encrypted file, whose blocks have the overhead', () => {
    const sealed = KIB_128 + 40
    const tokens = blocks({ blockSizeBytes: sealed, sizeBytes: sealed, hashSizeBytes: 48, hashes: new Uint8Array(48) })
    const file = { ...FILE, size: sealed, block_size: sealed, blocks: tokens, encrypted: Buffer.from('x') }
    assert.equal(readingOf(file), 'used')
    assert.equal(readingOf({ ...file, block_size: KIB_128 }), 'invalid', 'a block size without the overhead')
    assert.equal(readingOf({ ...file, encrypted: new Uint8Array(0) }), 'invalid', 'a plain file')
    const hashes = blocks({ blockSizeBytes: sealed, sizeBytes: sealed })
    assert.equal(readingOf({ ...file, blocks: hashes }), 'invalid', 'hashes instead of tokens')
  })
})

describe('what is passed on unchanged', () => {
  const passedOn = (change: Partial<WireFile>) => {
    const { previousBlocksHash, platform, encrypted } = fileFromWire({ ...DIRECTORY, ...change }) ?? {}
    return [previousBlocksHash?.length, platform?.length, encrypted?.length]
  }
  const bytes = (length: number) => new Uint8Array(length)

  it('is each alone', () => {
    assert.deepEqual(passedOn({}), [undefined, undefined, undefined])
    assert.deepEqual(passedOn({ previous_blocks_hash: bytes(32) }), [32, undefined, undefined])
    assert.deepEqual(passedOn({ platform: bytes(0) }), [undefined, 0, undefined])
    assert.deepEqual(passedOn({ encrypted: bytes(1) }), [undefined, undefined, 1])
  })

  it('is within limits', () => {
    assert.deepEqual(passedOn({ previous_blocks_hash: bytes(31) }), [undefined, undefined, undefined])
    assert.deepEqual(passedOn({ previous_blocks_hash: bytes(33) }), [undefined, undefined, undefined])
    assert.deepEqual(passedOn({ platform: bytes(MIB) }), [undefined, MIB, undefined])
    assert.deepEqual(passedOn({ platform: bytes(MIB + 1) }), [undefined, undefined, undefined])
    assert.deepEqual(passedOn({ encrypted: bytes(64 * MIB) }), [undefined, undefined, 64 * MIB])
    assert.deepEqual(passedOn({ encrypted: bytes(64 * MIB + 1) }), [undefined, undefined, undefined])
  })

  it('is a copy, which keeps no message in memory', () => {
    const message = bytes(40)
    const record = fileFromWire({ ...DIRECTORY, platform: message.subarray(0, 4), encrypted: message.subarray(4, 8) })
    assert.notEqual(record?.platform?.buffer, message.buffer)
    assert.notEqual(record?.encrypted?.buffer, message.buffer)
  })
})

describe('a record is sent', () => {
  const record = fileFromWire(FILE)!
  const sent = (change: Partial<FileInfo>) => fileToWire({ ...record, ...change })

  it('with its fields', () => {
    const { blocks: list, version, symlink_target, ...rest } = sent({ noPermissions: true })
    assert.deepEqual(list, { ...blocks(), blockSizeBytes: KIB_128 })
    assert.deepEqual([version, symlink_target?.length], [VERSION, 0])
    assert.deepEqual(rest, {
      name: 'a/b',
      type: 0,
      size: 10,
      permissions: 0o644,
      modified_s: 100,
      deleted: false,
      invalid: false,
      no_permissions: true,
      sequence: 1,
      modified_ns: 5,
      modified_by: 7n,
      block_size: KIB_128,
      blocks_hash: blocksHashOf(HASHES),
      platform: undefined,
      encrypted: new Uint8Array(0),
      previous_blocks_hash: new Uint8Array(0),
    })
  })

  it('with the number of its type', () => {
    assert.deepEqual([sent({ type: 'directory' }).type, sent({ type: 'symlink' }).type], [1, 4])
  })

  it('as invalid if it must not be used, or has no blocks yet', () => {
    assert.equal(sent({ localFlags: FLAG_IGNORED }).invalid, true)
    assert.equal(sent({ localFlags: FLAG_REMOTE_INVALID }).invalid, true)
    const unhashed = { blockHashes: undefined, blocksHash: undefined }
    assert.equal(sent(unhashed).invalid, true)
    assert.equal(sent({ blockHashes: new Uint8Array(0) }).invalid, true)
    assert.equal(sent({ ...unhashed, type: 'directory' }).invalid, false)
    assert.equal(sent({ ...unhashed, deleted: true }).invalid, false)
  })

  it('without its version if it was changed in a receive-only folder', () => {
    assert.deepEqual(sent({ localFlags: FLAG_RECEIVE_ONLY }).version, { counters: [] })
    assert.deepEqual(sent({ localFlags: FLAG_IGNORED }).version, VERSION)
  })

  it('without size, blocks and target if it is deleted, but with its block size', () => {
    const { size, blocks: list, blocks_hash, block_size } = sent({ deleted: true })
    assert.deepEqual([size, list, blocks_hash?.length, block_size], [0, undefined, 0, KIB_128])
    assert.equal(sent({ type: 'directory', deleted: false }).block_size, 0)
    const target = (deleted: boolean) => sent({ type: 'symlink', symlinkTarget: 'ä', deleted }).symlink_target
    assert.deepEqual([Buffer.from(target(false)!).toString(), target(true)?.length], ['ä', 0])
  })

  it('with as many blocks as it has hashes, or tokens', () => {
    assert.equal(sent({ blockHashes: new Uint8Array(96) }).blocks?.count, 3)
    const sealed = sent({ blockHashes: new Uint8Array(96), encrypted: new Uint8Array(1) })
    assert.deepEqual([sealed.blocks?.count, sealed.blocks?.hashSizeBytes, sealed.encrypted?.length], [2, 48, 1])
  })

  it('with what is passed on', () => {
    const [platform, previousBlocksHash] = [new Uint8Array(2), new Uint8Array(32)]
    const passed = sent({ platform, previousBlocksHash })
    assert.ok(passed.platform === platform && passed.previous_blocks_hash === previousBlocksHash)
  })
})
