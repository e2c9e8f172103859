import { hash } from 'node:crypto'

const KIB = 1024
const MIB = 1024 * KIB

export const BLOCK_SIZE_BYTES_MIN = 128 * KIB
export const BLOCK_SIZE_BYTES_MAX = 16 * MIB
export const HASH_SIZE_BYTES = 32
const BLOCK_COUNT_DESIRED = 2_000

/**
 * The smallest power-of-two block size that keeps a file under the desired number of blocks. A previous block size of
 * half or double that is kept: a file that grows over the threshold would otherwise share no block with its old
 * version.
 */
export function blockSizeFor(fileSizeBytes: number, previousBlockSizeBytes = 0): number {
  let sizeBytes = BLOCK_SIZE_BYTES_MIN
  while (sizeBytes < BLOCK_SIZE_BYTES_MAX && fileSizeBytes >= BLOCK_COUNT_DESIRED * sizeBytes) sizeBytes *= 2
  const near = previousBlockSizeBytes === sizeBytes * 2 || previousBlockSizeBytes === sizeBytes / 2
  return near && isBlockSize(previousBlockSizeBytes) ? previousBlockSizeBytes : sizeBytes
}

function isBlockSize(sizeBytes: number): boolean {
  return sizeBytes >= BLOCK_SIZE_BYTES_MIN && sizeBytes <= BLOCK_SIZE_BYTES_MAX && (sizeBytes & (sizeBytes - 1)) === 0
}

/** An empty file has one block of no bytes: the protocol sends the hash of the empty string. */
export function blockCount(fileSizeBytes: number, blockSizeBytes: number): number {
  return Math.max(1, Math.ceil(fileSizeBytes / blockSizeBytes))
}

/** SHA-256 over the concatenated block hashes. */
export function blocksHashOf(blockHashes: Uint8Array): Uint8Array {
  return hash('sha256', blockHashes, 'buffer')
}
