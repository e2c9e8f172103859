import { hash } from 'node:crypto'
import type { ShortId } from '../ids.ts'
import { BLOCK_OVERHEAD_BYTES, BLOCK_SIZE_BYTES_MIN, TOKEN_SIZE_BYTES } from '../records/blocks.ts'
import { blocksOf, type Block } from '../records/block-diff.ts'
import type { FileHead, FileInfo } from '../records/file-info.ts'
import type { VersionVector } from '../records/version-vector.ts'
import type { FileCipher, FolderCipher } from './folder-cipher.ts'

/** Smaller blocks are padded, so that the size of a small file is not visible. */
export const PADDED_BYTES_MIN = 1_024
const PERMISSIONS = 0o644
/** Every encrypted file has the same time: the real one is in the encrypted record. */
const MODIFIED_S = 1_234_567_890
const NO_DEVICE = 0n as ShortId
const COUNTER_DEVICE = 1n as ShortId
const NO_PLATFORM = new Uint8Array(0)

/** The size of a block after padding, before sealing. */
export function paddedSize(plainBytes: number): number {
  return Math.max(plainBytes, PADDED_BYTES_MIN)
}

/** The size of a block as the untrusted device stores it. */
export function encryptedBlockSize(plainBytes: number): number {
  return paddedSize(plainBytes) + BLOCK_OVERHEAD_BYTES
}

/** Where an encrypted block begins: every block before it is longer by the overhead. */
export function encryptedOffset(plainOffsetBytes: number, blockNumber: number): number {
  return plainOffsetBytes + blockNumber * BLOCK_OVERHEAD_BYTES
}

/**
 * The record that an untrusted device gets for an item: encrypted name and tokens, one time and one permission for all,
 * and the sum of all counters as its version. `encoded` is the plain record in wire form.
 */
export function encryptRecord(cipher: FolderCipher, plain: FileInfo, encoded: Uint8Array, nonce: Uint8Array): FileInfo {
  const file = cipher.file(plain.name)
  const isFile = plain.type === 'file'
  const blocks = isFile && !plain.deleted ? blocksOf(plain) : undefined
  return {
    name: cipher.encryptName(plain.name),
    type: isFile ? 'file' : 'directory',
    deleted: plain.deleted,
    sizeBytes: blocks?.reduce((sum, { sizeBytes }) => sum + encryptedBlockSize(sizeBytes), 0) ?? 0,
    modifiedS: MODIFIED_S,
    modifiedNs: 0,
    permissions: PERMISSIONS,
    noPermissions: false,
    version: summed(plain.version),
    modifiedBy: NO_DEVICE,
    sequence: plain.sequence,
    localFlags: plain.localFlags,
    blockSizeBytes: isFile ? Math.max(plain.blockSizeBytes, BLOCK_SIZE_BYTES_MIN) + BLOCK_OVERHEAD_BYTES : 0,
    blocksHash: undefined,
    blockHashes: blocks === undefined ? undefined : tokensOf(file, blocks),
    symlinkTarget: '',
    platform: NO_PLATFORM,
    encrypted: file.seal(encoded, nonce),
  }
}

function tokensOf(file: FileCipher, blocks: readonly Block[]): Uint8Array {
  const tokens = Buffer.alloc(blocks.length * TOKEN_SIZE_BYTES)
  for (const { number, hash, offsetBytes } of blocks) {
    file.blockToken(hash, offsetBytes).copy(tokens, number * TOKEN_SIZE_BYTES)
  }
  return tokens
}

/** Larger after every change, whoever made it. */
function summed(version: VersionVector): VersionVector {
  return [
    {
      device: COUNTER_DEVICE,
      value: BigInt.asUintN(
        64,
        version.reduce((sum, { value }) => sum + value, 0n),
      ),
    },
  ]
}

/**
 * The plain record in wire form of what an untrusted device announced, with its name; undefined for one that was not
 * made with this password.
 */
export function openRecord(
  cipher: FolderCipher,
  { name, encrypted }: Pick<FileInfo, 'name' | 'encrypted'>,
): { readonly name: string; readonly encoded: Uint8Array } | undefined {
  const plainName = cipher.decryptName(name)
  if (plainName === undefined || encrypted === undefined) return undefined
  const encoded = cipher.file(plainName).open(encrypted)
  if (encoded === undefined) return undefined
  cipher.forget(name, plainName)
  return { name: plainName, encoded }
}

/**
 * Whether the plain bytes of a record may be a block of a file of this size. Blocks and records are sealed with one
 * key, so that a block which an untrusted device has can come back as a record. Short blocks are padded.
 */
export function mayBeBlock(plainBytes: number, { sizeBytes, blockSizeBytes }: FileHead): boolean {
  if (plainBytes < PADDED_BYTES_MIN || !(blockSizeBytes > 0)) return false
  const lastBytes = sizeBytes % blockSizeBytes
  const hasWhole = sizeBytes >= blockSizeBytes && plainBytes === blockSizeBytes
  return hasWhole || (lastBytes > 0 && plainBytes === paddedSize(lastBytes))
}

/** Whether bytes are those of a block of a file, with any padding. */
export function isBlockOf(plain: Uint8Array, file: FileInfo): boolean {
  if (!mayBeBlock(plain.length, file)) return false
  const hashes = new Map<number, Buffer>()
  return (blocksOf(file) ?? []).some(({ sizeBytes, hash: expected }) => {
    if (paddedSize(sizeBytes) !== plain.length) return false
    const found = hashes.get(sizeBytes) ?? hash('sha256', plain.subarray(0, sizeBytes), 'buffer')
    hashes.set(sizeBytes, found)
    return found.equals(expected)
  })
}

/** Undefined unless it is a block of exactly the announced size, sealed for this file: not a shorter one of it. */
export function openBlock(file: FileCipher, sealed: Uint8Array, plainBytes: number): Uint8Array | undefined {
  if (sealed.length !== encryptedBlockSize(plainBytes)) return undefined
  return file.open(sealed)?.subarray(0, plainBytes)
}
