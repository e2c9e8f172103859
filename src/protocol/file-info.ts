import {
  BLOCK_OVERHEAD_BYTES,
  BLOCK_SIZE_BYTES_MIN,
  blocksHashOf,
  HASH_SIZE_BYTES,
  hashSizeOf,
  isBlockSize,
  TOKEN_SIZE_BYTES,
} from '../core/records/blocks.ts'
import {
  FLAG_RECEIVE_ONLY,
  FLAG_REMOTE_INVALID,
  isInvalid,
  type FileInfo,
  type FileType,
} from '../core/records/file-info.ts'
import type { ShortId } from '../core/ids.ts'
import { isNormal } from '../core/paths.ts'
import { isAcceptable } from '../core/records/version-vector.ts'
import type { BlockList } from './block-list.ts'
import { violation } from '../core/wire/errors.ts'
import type { WireFile } from './messages.ts'
import { isUnusableName, nameFault, quoted } from './names.ts'
import { versionFromWire, versionToWire } from './version.ts'

const TYPES: readonly FileType[] = ['file', 'directory', 'symlink', 'symlink', 'symlink']
const TYPE_NUMBERS: Readonly<Record<FileType, number>> = { file: 0, directory: 1, symlink: 4 }
/** Some implementations send a nominal size for directories. */
const DIRECTORY_SIZES: ReadonlySet<number> = new Set([0, 128])
const PERMISSION_BITS = 0o777
const NS_PER_S = 1_000_000_000
/** The limit of all extended attributes of a file on Linux; larger ones are dropped from the record. */
const PLATFORM_BYTES_MAX = 1024 * 1024
/** The size of a record of a 16 TiB file with its blocks. */
const ENCRYPTED_BYTES_MAX = 64 * 1024 * 1024
/** The longest target that Linux can store. */
const TARGET_BYTES_MAX = 4_096
const TARGET = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a record of a peer. Undefined for an unknown type or an unusable name. Throws `violation` for records that
 * Syncthing rejects as well; other unusable records are marked as invalid.
 */
export function fileFromWire(file: WireFile): FileInfo | undefined {
  const fault = nameFault(file.name) ?? faultOf(file)
  if (fault !== undefined) throw violation(`${quoted(file.name)}: ${fault}`)
  const type = TYPES[file.type]
  if (type === undefined || isUnusableName(file.name)) return undefined
  const isLiveFile = type === 'file' && !file.deleted
  const blocks = isLiveFile ? usableBlocks(file) : undefined
  const target = type === 'symlink' && !file.deleted ? targetOf(file) : ''
  const version = versionFromWire(file.version)
  const usable =
    !file.invalid &&
    isNormal(file.name) &&
    isAcceptable(version) &&
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
    version,
    modifiedBy: file.modified_by as ShortId,
    sequence: file.sequence,
    localFlags: usable ? 0 : FLAG_REMOTE_INVALID,
    blockSizeBytes: blocks === undefined ? 0 : blockSizeOf(file),
    // Always computed here: older versions of Syncthing compute the sent hash differently.
    blocksHash: blocks === undefined ? undefined : blocksHashOf(blocks),
    blockHashes: blocks,
    symlinkTarget: target ?? '',
    ...passedOnFields(file),
  }
}

/** Fields passed on unchanged. Copied, so that a record does not keep its whole message in memory. */
function passedOnFields(file: WireFile): Partial<FileInfo> {
  const { previous_blocks_hash, platform, encrypted } = file
  const none = previous_blocks_hash.length === 0 && platform === undefined && encrypted.length === 0
  if (none) return NO_PASSED_ON
  const hashed = previous_blocks_hash.length === HASH_SIZE_BYTES
  const hasPlatform = platform !== undefined && platform.length <= PLATFORM_BYTES_MAX
  return {
    ...(hashed ? { previousBlocksHash: Buffer.from(previous_blocks_hash) } : {}),
    ...(hasPlatform ? { platform: Buffer.from(platform) } : {}),
    ...(hasEncrypted(file) ? { encrypted: Buffer.from(encrypted) } : {}),
  }
}

const NO_PASSED_ON = {}

function hasEncrypted({ encrypted }: WireFile): boolean {
  return encrypted.length > 0 && encrypted.length <= ENCRYPTED_BYTES_MAX
}

/** Rules that Syncthing enforces. */
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

/** The hashes, when the list describes a file of exactly this size; otherwise undefined. */
function usableBlocks(file: WireFile): Uint8Array | undefined {
  const { blocks, size } = file
  if (blocks === undefined || blocks.fault !== undefined || blocks.sizeBytes !== size) return undefined
  const blockSizeBytes = blockSizeOf(file)
  const isEncrypted = hasEncrypted(file)
  if (!isBlockSize(isEncrypted ? blockSizeBytes - BLOCK_OVERHEAD_BYTES : blockSizeBytes)) return undefined
  // The two kinds are never mixed: a token is no hash, and has the length of none.
  if (blocks.hashSizeBytes !== (isEncrypted ? TOKEN_SIZE_BYTES : HASH_SIZE_BYTES)) return undefined
  const fits = blocks.count === 1 ? blocks.blockSizeBytes <= blockSizeBytes : blocks.blockSizeBytes === blockSizeBytes
  return fits ? blocks.hashes : undefined
}

function blockSizeOf(file: WireFile): number {
  return Math.max(file.block_size, BLOCK_SIZE_BYTES_MIN)
}

function isNanoseconds(value: number): boolean {
  return value >= 0 && value < NS_PER_S
}

/** Undefined for a target that cannot be created here. */
function targetOf(file: WireFile): string | undefined {
  if (file.symlink_target.length > TARGET_BYTES_MAX) return undefined
  try {
    const target = TARGET.decode(file.symlink_target)
    return target === '' || target.includes('\0') ? undefined : target
  } catch {
    return undefined // not UTF-8: the same link cannot be created
  }
}

/** Encodes a local record for peers. Records that peers must not use are marked invalid; local flags are not sent. */
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
    // Not hashed yet: Syncthing closes the connection on a valid file without blocks.
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
  const hashSizeBytes = hashSizeOf(file)
  const count = hashes.length / hashSizeBytes
  return { count, hashes, hashSizeBytes, blockSizeBytes, sizeBytes, fault: undefined }
}
