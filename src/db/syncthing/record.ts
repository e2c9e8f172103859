import type { ShortId } from '../../core/ids.ts'
import { INDEXED_NAME_LENGTH_MAX, isNormal } from '../../core/paths.ts'
import {
  blockCount,
  BLOCK_OVERHEAD_BYTES,
  BLOCK_SIZE_BYTES_MIN,
  hashSizeOf,
  HASH_SIZE_BYTES,
  isBlockSize,
} from '../../core/records/blocks.ts'
import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  FLAG_UNSUPPORTED,
  type FileInfo,
  type FileTime,
  type FileType,
} from '../../core/records/file-info.ts'
import { isAcceptable, type VersionVector } from '../../core/records/version-vector.ts'
import type { Block, StoredFile, Vector } from './messages.ts'

const TYPES: readonly FileType[] = ['file', 'directory', 'symlink', 'symlink', 'symlink']
const OWN_FLAGS = FLAG_UNSUPPORTED | FLAG_IGNORED | FLAG_MUST_RESCAN | FLAG_RECEIVE_ONLY
const PERMISSION_BITS = 0o777
const NS_PER_S = 1_000_000_000
const PLATFORM_BYTES_MAX = 1024 * 1024
/** An empty component, `.`, `..`, or a slash at either end. */
const SUSPICIOUS = /(?:^|\/)\.{0,2}(?:\/|$)/
const TARGET = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The parts of a record that the two databases keep in different places. */
export interface RecordParts {
  readonly file: StoredFile
  readonly version: VersionVector
  readonly blocks: readonly Block[]
  /** As the database has them, beside or inside the record. */
  readonly localFlags: number
  /** The time on our disk where it cannot hold that of the record. */
  readonly diskTime?: FileTime | undefined
}

/** Sorted, one counter per device, and none that is zero. */
export function vectorOf(vector: Vector | undefined): VersionVector {
  const counters = (vector?.counters ?? []).map(({ id, value }) => ({ device: id as ShortId, value }))
  const sorted = counters.filter(({ value }) => value > 0n).sort((a, b) => (a.device < b.device ? -1 : 1))
  return sorted.filter(({ device }, place) => device !== sorted[place + 1]?.device)
}

/**
 * A record of this device as we keep it; undefined for one that cannot be used: the next scan makes a new one from what
 * is on the disk.
 */
export function ownRecord(parts: RecordParts): FileInfo | undefined {
  const common = commonFields(parts)
  if (common === undefined) return undefined
  const { file, version, localFlags } = parts
  const flags = localFlags & OWN_FLAGS
  // Written by very old versions: what it stands for is unknown, so that every other version replaces it.
  if (file.invalid && flags === 0) return { ...common, version: [], localFlags: FLAG_MUST_RESCAN }
  if (!isAcceptable(version)) return undefined
  const isLiveFile = common.type === 'file' && !common.deleted
  if (isLiveFile && flags === 0 && common.blockHashes === undefined) return undefined
  if (common.type === 'symlink' && !common.deleted && flags === 0 && common.symlinkTarget === '') return undefined
  return { ...common, localFlags: flags, ...(isLiveFile && diskFields(parts)) }
}

function diskFields({ file, blocks, diskTime }: RecordParts): Partial<FileInfo> {
  const trailerBytes = trailerBytesOf(file, blocks)
  return { ...(diskTime !== undefined && { diskTime }), ...(trailerBytes > 0 && { trailerBytes }) }
}

/** A record of another device as we keep it; undefined for one that was to be sent again. */
export function remoteRecord(parts: RecordParts): FileInfo | undefined {
  const common = commonFields(parts)
  if (common === undefined) return undefined
  const { file, version, localFlags } = parts
  const isInvalid = file.invalid || (localFlags & FLAG_REMOTE_INVALID) !== 0
  const hasContent =
    common.deleted ||
    common.type === 'directory' ||
    (common.type === 'file' ? common.blockHashes !== undefined : common.symlinkTarget !== '')
  const usable = !isInvalid && hasContent && isAcceptable(version)
  return { ...common, localFlags: usable ? 0 : FLAG_REMOTE_INVALID }
}

function commonFields({ file, version, blocks }: RecordParts): FileInfo | undefined {
  const type = TYPES[file.type]
  if (type === undefined || !isUsable(file)) return undefined
  const isLiveFile = type === 'file' && !file.deleted
  const blockSizeBytes = Math.max(file.block_size, BLOCK_SIZE_BYTES_MIN)
  const passed = passedOn(file)
  // Our size of a file in an encrypted folder includes what follows its content.
  const sizeBytes = Math.max(0, file.size - trailerBytesOf(file, blocks))
  const blockHashes = isLiveFile ? hashesOf(blocks, { sizeBytes, blockSizeBytes, ...passed }) : undefined
  return {
    name: file.name,
    type,
    deleted: file.deleted,
    sizeBytes: isLiveFile ? sizeBytes : 0,
    modifiedS: file.modified_s,
    modifiedNs: file.modified_ns,
    permissions: file.permissions & PERMISSION_BITS,
    noPermissions: file.no_permissions,
    version,
    modifiedBy: file.modified_by as ShortId,
    sequence: file.sequence,
    localFlags: 0,
    blockSizeBytes: blockHashes === undefined ? 0 : blockSizeBytes,
    blocksHash: undefined, // computed when stored: 1.x computes it differently
    blockHashes,
    symlinkTarget: type === 'symlink' && !file.deleted ? targetOf(file.symlink_target) : '',
    ...passed,
  }
}

/** Early versions count what follows the content of an encrypted file in its size, and do not note how much it is. */
function trailerBytesOf(
  { size, encrypted, encryption_trailer_size: noted }: StoredFile,
  blocks: readonly Block[],
): number {
  if (noted > 0 || encrypted.length === 0 || blocks.length === 0) return noted
  return Math.max(0, size - blocks.reduce((sum, block) => sum + block.size, 0))
}

function isUsable({ name, size, modified_s, modified_ns, sequence }: StoredFile): boolean {
  const isName =
    name.length <= INDEXED_NAME_LENGTH_MAX && !name.includes('\0') && !SUSPICIOUS.test(name) && isNormal(name)
  const isWhole = Number.isSafeInteger(size) && Number.isSafeInteger(modified_s) && Number.isSafeInteger(sequence)
  return isName && isWhole && sequence >= 0 && modified_ns >= 0 && modified_ns < NS_PER_S
}

/** Undefined unless the list describes a file of exactly this size. */
function hashesOf(
  blocks: readonly Block[],
  record: Pick<FileInfo, 'sizeBytes' | 'blockSizeBytes' | 'encrypted'>,
): Uint8Array | undefined {
  const { sizeBytes, blockSizeBytes, encrypted } = record
  const overhead = encrypted === undefined ? 0 : BLOCK_OVERHEAD_BYTES
  const isUsual = isBlockSize(blockSizeBytes - overhead) && blocks.length === blockCount(sizeBytes, blockSizeBytes)
  if (!isUsual) return undefined
  const hashBytes = hashSizeOf(record)
  const hashes = Buffer.allocUnsafe(blocks.length * hashBytes)
  let left = sizeBytes
  for (const [place, block] of blocks.entries()) {
    if (block.hash.length !== hashBytes || block.size !== Math.min(left, blockSizeBytes)) return undefined
    hashes.set(block.hash, place * hashBytes)
    left -= block.size
  }
  return hashes
}

function targetOf(bytes: Uint8Array): string {
  try {
    const target = TARGET.decode(bytes)
    return target.includes('\0') ? '' : target
  } catch {
    return '' // not UTF-8: such a link cannot be made here
  }
}

/** Copied: the views would keep a whole block of the database in memory. */
function passedOn({ platform, encrypted, previous_blocks_hash }: StoredFile): Partial<FileInfo> {
  const hasPlatform = platform.length > 0 && platform.length <= PLATFORM_BYTES_MAX
  return {
    ...(hasPlatform && { platform: Buffer.from(platform) }),
    ...(encrypted.length > 0 && { encrypted: Buffer.from(encrypted) }),
    ...(previous_blocks_hash.length === HASH_SIZE_BYTES && { previousBlocksHash: Buffer.from(previous_blocks_hash) }),
  }
}
