import { BLOCK_SIZE_BYTES_MAX, BLOCK_SIZE_BYTES_MIN, blocksHashOf, HASH_SIZE_BYTES } from '../core/records/blocks.ts'
import {
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  isInvalid,
  type FileInfo,
  type FileType,
} from '../core/records/file-info.ts'
import type { ShortId } from '../core/ids.ts'
import { isNormal } from '../core/paths.ts'
import type { BlockList } from './block-list.ts'
import { violation } from './errors.ts'
import type { WireFile } from './messages.ts'
import { isImpossible, nameFault, quoted } from './names.ts'
import { versionFromWire, versionToWire } from './version.ts'

const TYPES: readonly FileType[] = ['file', 'directory', 'symlink', 'symlink', 'symlink']
const TYPE_NUMBERS: Readonly<Record<FileType, number>> = { file: 0, directory: 1, symlink: 4 }
/** Some programs give directories a size for show. */
const DIRECTORY_SIZES: ReadonlySet<number> = new Set([0, 128])
const PERMISSION_BITS = 0o777
const NS_PER_S = 1_000_000_000
/** All attributes of a file on Linux are at most this much together; a record with more is kept without them. */
const PLATFORM_BYTES_MAX = 1024 * 1024
/** A record of a file of 16 TiB, with its blocks. */
const ENCRYPTED_BYTES_MAX = 64 * 1024 * 1024
const TARGET = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A record as a peer tells it. Undefined for one of a kind nobody knows, or with a name no file can have. Throws
 * `violation` for what no honest program sends; what merely cannot be used comes back marked as invalid.
 */
export function fileFromWire(file: WireFile): FileInfo | undefined {
  const wrong = nameFault(file.name) ?? faultOf(file)
  if (wrong !== undefined) throw violation(`${quoted(file.name)}: ${wrong}`)
  const type = TYPES[file.type]
  if (type === undefined || isImpossible(file.name)) return undefined
  const isLiveFile = type === 'file' && !file.deleted
  const blocks = isLiveFile ? usableBlocks(file) : undefined
  const target = type === 'symlink' && !file.deleted ? targetOf(file) : ''
  const usable =
    !file.invalid &&
    isNormal(file.name) &&
    Number.isSafeInteger(file.modified_s) &&
    isNanoseconds(file.modified_ns) &&
    (!isLiveFile || blocks !== undefined) &&
    target !== undefined
  return {
    name: file.name,
    type,
    deleted: file.deleted,
    sizeBytes: isLiveFile && Number.isSafeInteger(file.size) ? Math.max(0, file.size) : 0,
    modifiedS: Number.isSafeInteger(file.modified_s) ? file.modified_s : 0,
    modifiedNs: isNanoseconds(file.modified_ns) ? file.modified_ns : 0,
    permissions: file.permissions & PERMISSION_BITS,
    noPermissions: file.no_permissions,
    version: versionFromWire(file.version),
    modifiedBy: file.modified_by as ShortId,
    sequence: file.sequence,
    localFlags: usable ? 0 : FLAG_REMOTE_INVALID,
    blockSizeBytes: blocks === undefined ? 0 : blockSizeOf(file),
    // Never the one that was sent: older programs compute it in another way.
    blocksHash: blocks === undefined ? undefined : blocksHashOf(blocks),
    blockHashes: blocks,
    symlinkTarget: target ?? '',
    ...keptOf(file),
  }
}

/** What is passed on as it came. A message is far larger than a record, so its bytes are copied out of it. */
function keptOf({ previous_blocks_hash, platform, encrypted }: WireFile): Partial<FileInfo> {
  const none = previous_blocks_hash.length === 0 && platform === undefined && encrypted.length === 0
  if (none) return NOTHING_KEPT
  const hashed = previous_blocks_hash.length === HASH_SIZE_BYTES
  const hasPlatform = platform !== undefined && platform.length <= PLATFORM_BYTES_MAX
  const hasEncrypted = encrypted.length > 0 && encrypted.length <= ENCRYPTED_BYTES_MAX
  return {
    ...(hashed ? { previousBlocksHash: Buffer.from(previous_blocks_hash) } : {}),
    ...(hasPlatform ? { platform: Buffer.from(platform) } : {}),
    ...(hasEncrypted ? { encrypted: Buffer.from(encrypted) } : {}),
  }
}

const NOTHING_KEPT = {}

/** Rules that the other programs keep and enforce. */
function faultOf(file: WireFile): string | undefined {
  const hasBlocks = file.blocks !== undefined
  if (file.deleted && hasBlocks) return 'deleted file with non-empty block list'
  if (file.type === 1 && hasBlocks) return 'directory with non-empty block list'
  if (TYPES[file.type] === 'symlink' && hasBlocks) return 'non-file type with non-empty block list'
  if (!file.deleted && file.type === 1 && !DIRECTORY_SIZES.has(file.size)) return 'non-file type with nonzero size'
  if (!file.deleted && TYPES[file.type] === 'symlink' && file.size !== 0) return 'non-file type with nonzero size'
  if (file.type === 0 && !file.deleted && !file.invalid && !hasBlocks) return 'file with empty block list'
  if (!Number.isSafeInteger(file.sequence) || file.sequence < 0) return 'sequence number out of range'
  return undefined
}

/** The hashes, when the list describes a file of exactly this size; else undefined. */
function usableBlocks(file: WireFile): Uint8Array | undefined {
  const { blocks, size } = file
  if (blocks === undefined || blocks.fault !== undefined || blocks.sizeBytes !== size) return undefined
  const blockSizeBytes = blockSizeOf(file)
  if (blockSizeBytes > BLOCK_SIZE_BYTES_MAX || (blockSizeBytes & (blockSizeBytes - 1)) !== 0) return undefined
  const fits = blocks.count === 1 ? blocks.blockSizeBytes <= blockSizeBytes : blocks.blockSizeBytes === blockSizeBytes
  return fits ? blocks.hashes : undefined
}

function blockSizeOf(file: WireFile): number {
  return Math.max(file.block_size, BLOCK_SIZE_BYTES_MIN)
}

function isNanoseconds(value: number): boolean {
  return value >= 0 && value < NS_PER_S
}

/** Undefined for a target that no link here can have. */
function targetOf(file: WireFile): string | undefined {
  try {
    const target = TARGET.decode(file.symlink_target)
    return target === '' || target.includes('\0') ? undefined : target
  } catch {
    return undefined // not UTF-8: we could not write the same link, so we do not want it
  }
}

/** A record of our own, as peers are told. What they must not use is called invalid; our local flags stay here. */
export function fileToWire(file: FileInfo): Partial<WireFile> {
  const isLiveFile = file.type === 'file' && !file.deleted
  const blocks = isLiveFile ? blocksOf(file) : undefined
  const changedHereOnly = (file.localFlags & FLAG_RECEIVE_ONLY) !== 0
  return {
    name: file.name,
    type: TYPE_NUMBERS[file.type],
    size: isLiveFile ? file.sizeBytes : 0,
    permissions: file.permissions,
    modified_s: file.modifiedS,
    deleted: file.deleted,
    // A live file without blocks would end the connection: it is not hashed yet, so nobody can have it.
    invalid: isInvalid(file) || (isLiveFile && blocks === undefined),
    no_permissions: file.noPermissions,
    version: changedHereOnly ? { counters: [] } : versionToWire(file.version),
    sequence: file.sequence,
    modified_ns: file.modifiedNs,
    modified_by: file.modifiedBy,
    block_size: file.type === 'file' ? file.blockSizeBytes : 0,
    blocks,
    symlink_target: Buffer.from(file.deleted ? '' : file.symlinkTarget),
    blocks_hash: (blocks !== undefined && file.blocksHash) || NO_BYTES,
    platform: file.platform,
    encrypted: file.encrypted ?? NO_BYTES,
    previous_blocks_hash: file.previousBlocksHash ?? NO_BYTES,
  }
}

const NO_BYTES = new Uint8Array(0)

function blocksOf(file: FileInfo): BlockList | undefined {
  const hashes = file.blockHashes
  if (hashes === undefined || hashes.length === 0) return undefined
  const { blockSizeBytes, sizeBytes } = file
  return { count: hashes.length / HASH_SIZE_BYTES, hashes, blockSizeBytes, sizeBytes, fault: undefined }
}
