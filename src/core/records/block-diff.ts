import { hash } from 'node:crypto'
import { blockCount, hashSizeOf } from './blocks.ts'
import type { FileHead, FileInfo } from './file-info.ts'

/** One block of a file to be assembled. */
export interface Block {
  readonly number: number
  readonly offsetBytes: number
  readonly sizeBytes: number
  readonly hash: Uint8Array
}

type Blocks = FileHead & { readonly blockHashes: Uint8Array | undefined }

/** The blocks of a record; undefined when its list does not match its size: such a record cannot be pulled. */
export function blocksOf(record: FileInfo): readonly Block[] | undefined {
  const count = usableCount(record)
  return count === undefined ? undefined : Array.from({ length: count }, (_, number) => makeBlock(record, number))
}

/** One block of a record; undefined when it has none of that number. */
export function blockAt(record: Blocks, number: number): Block | undefined {
  const count = usableCount(record) ?? 0
  return Number.isInteger(number) && number >= 0 && number < count ? makeBlock(record, number) : undefined
}

/** The number of blocks, if there is a hash of each. */
function usableCount(record: Blocks): number | undefined {
  const { sizeBytes, blockSizeBytes, blockHashes } = record
  if (blockHashes === undefined || !(blockSizeBytes > 0)) return undefined
  const count = blockCount(sizeBytes, blockSizeBytes)
  return blockHashes.length === count * hashSizeOf(record) ? count : undefined
}

function makeBlock(record: Blocks, number: number): Block {
  const { sizeBytes, blockSizeBytes, blockHashes } = record
  const offsetBytes = number * blockSizeBytes
  const hashBytes = hashSizeOf(record)
  return {
    number,
    offsetBytes,
    sizeBytes: Math.min(blockSizeBytes, sizeBytes - offsetBytes),
    hash: blockHashes!.subarray(number * hashBytes, (number + 1) * hashBytes),
  }
}

/** The wanted blocks that are at the same offset in a file with these hashes of blocks of the same size. */
export function blocksInPlace(wanted: readonly Block[], foundHashes: Uint8Array): ReadonlySet<number> {
  const inPlace = new Set<number>()
  for (const { number, hash: wantedHash } of wanted) {
    const start = number * wantedHash.length
    const found = foundHashes.subarray(start, start + wantedHash.length)
    if (found.length === wantedHash.length && wantedHash.every((byte, i) => byte === found[i])) inPlace.add(number)
  }
  return inPlace
}

/** Maps the hash of each block of a file, as text, to the offset of the first block that has it. */
export function offsetsByHash(file: FileInfo): ReadonlyMap<string, Block> {
  const offsets = new Map<string, Block>()
  for (const block of blocksOf(file) ?? []) {
    const key = hashKey(block.hash)
    if (!offsets.has(key)) offsets.set(key, block)
  }
  return offsets
}

/** A hash as the key of a map, shorter than hexadecimal. */
export function hashKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

const zeroHash = (sizeBytes: number): Buffer => hash('sha256', new Uint8Array(sizeBytes), 'buffer')

/** Detects blocks of zeros, which a sparse file contains without a write. */
export class ZeroBlocks {
  readonly #hashes = new Map<number, Buffer>()

  /** Only blocks of power-of-two sizes are compared: there are eight of those. */
  has(block: Block): boolean {
    const { sizeBytes } = block
    if (sizeBytes < 128 * 1024 || (sizeBytes & (sizeBytes - 1)) !== 0) return false
    let expected = this.#hashes.get(sizeBytes)
    if (expected === undefined) {
      expected = zeroHash(sizeBytes)
      this.#hashes.set(sizeBytes, expected)
    }
    return expected.equals(block.hash)
  }
}
