import { blocksInPlace, hashKey, offsetsByHash, type Block } from './block-diff.ts'
import type { FileInfo } from './file-info.ts'

/** Whether at least half of the blocks are unchanged in place. */
export function isMostlySame(local: FileInfo | undefined, global: FileInfo, blocks: readonly Block[]): boolean {
  if (local === undefined || local.deleted || local.type !== 'file' || local.blockHashes === undefined) return false
  if (local.blockSizeBytes !== global.blockSizeBytes) return false
  return blocksInPlace(blocks, local.blockHashes).size * 2 >= blocks.length
}

/** Whether a file contains the block, at any offset. */
export function holdsBlock(local: FileInfo | undefined, block: Block): boolean {
  if (local === undefined || local.deleted || local.type !== 'file' || local.sizeBytes < block.sizeBytes) return false
  const hashes = local.blockHashes
  if (hashes === undefined) return false
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).indexOf(block.hash) >= 0
}

type Places = (block: Block) => number | undefined

/** The offset of a block according to the file's record. */
export function placesIn(file: FileInfo): Places {
  const offsets = offsetsByHash(file)
  return (block) => {
    const found = offsets.get(hashKey(block.hash))
    return found?.sizeBytes === block.sizeBytes ? found.offsetBytes : undefined
  }
}

/** A block and where it is in the source. */
export interface PlacedBlock {
  readonly block: Block
  readonly fromBytes: number
  readonly positionBytes: number
  readonly sizeBytes: number
  readonly hash: Uint8Array
}

/** The blocks that the source has, in portions of at least `portionBytes`. */
export function* portionsOf(
  missing: readonly Block[],
  place: Places,
  portionBytes: number,
): Iterable<readonly PlacedBlock[]> {
  let portion: PlacedBlock[] = []
  let sumBytes = 0
  for (const block of missing) {
    const fromBytes = place(block)
    if (fromBytes === undefined) continue
    const { sizeBytes, hash, offsetBytes: positionBytes } = block
    portion.push({ block, fromBytes, positionBytes, sizeBytes, hash })
    sumBytes += sizeBytes
    if (sumBytes < portionBytes) continue
    yield portion
    portion = []
    sumBytes = 0
  }
  if (portion.length > 0) yield portion
}
