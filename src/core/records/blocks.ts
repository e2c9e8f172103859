import { hash } from 'node:crypto'

const KIB = 1024
const MIB = 1024 * KIB

export const BLOCK_SIZE_BYTES_MIN = 128 * KIB
export const BLOCK_SIZE_BYTES_MAX = 16 * MIB
export const HASH_SIZE_BYTES = 32
/** What stands for the hash of a block in the records of an encrypted folder. */
export const TOKEN_SIZE_BYTES = 48
/** What encryption adds to a block, and to the block size of a file. */
export const BLOCK_OVERHEAD_BYTES = 40
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

export function isBlockSize(sizeBytes: number): boolean {
  return sizeBytes >= BLOCK_SIZE_BYTES_MIN && sizeBytes <= BLOCK_SIZE_BYTES_MAX && (sizeBytes & (sizeBytes - 1)) === 0
}

/** The size of one entry in the block list of a record: only records of an encrypted folder have tokens. */
export function hashSizeOf({ encrypted }: { readonly encrypted?: Uint8Array | undefined }): number {
  return encrypted === undefined ? HASH_SIZE_BYTES : TOKEN_SIZE_BYTES
}

/** An empty file has one block of no bytes: the protocol sends the hash of the empty string. */
export function blockCount(fileSizeBytes: number, blockSizeBytes: number): number {
  return Math.max(1, Math.ceil(fileSizeBytes / blockSizeBytes))
}

/** SHA-256 over the concatenated block hashes. */
export function blocksHashOf(blockHashes: Uint8Array): Uint8Array {
  return hash('sha256', blockHashes, 'buffer')
}

/** The hashes of the blocks of a small file that is in memory. */
export function hashBlocks(data: Uint8Array, blockSizeBytes: number): Uint8Array {
  const hashes = new Uint8Array(blockCount(data.length, blockSizeBytes) * HASH_SIZE_BYTES)
  for (let number = 0; number * HASH_SIZE_BYTES < hashes.length; number++) {
    const block = data.subarray(number * blockSizeBytes, (number + 1) * blockSizeBytes)
    hashes.set(hash('sha256', block, 'buffer'), number * HASH_SIZE_BYTES)
  }
  return hashes
}
