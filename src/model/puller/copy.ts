import { hashKey, isContent, offsetsByHash, type Block } from '../../core/block-diff.ts'
import type { FileInfo } from '../../core/file-info.ts'
import { joinPath } from '../../core/paths.ts'
import type { DiskFile } from '../../world/disk.ts'
import { pathOf, type PullContext } from './context.ts'
import type { TempFile } from './temp-file.ts'

/** Files of the same content that are tried, in this folder and in every other one. */
const CANDIDATES_MAX = 3
/** Smaller files are fetched sooner than their like is found. */
const LOOK_FOR_TWINS_SIZE_BYTES_MIN = 32 * 1_024

export interface CopyProgress {
  onCopied(block: Block, from: 'origin' | 'elsewhere'): void
}

/**
 * Fills the temporary file with blocks that are on this machine already: from the old version of the file, and from
 * files with the same content as a whole. What is read is hashed before it counts. Returns the blocks still missing.
 */
export async function copyBlocks(
  context: PullContext, file: { readonly global: FileInfo; readonly local: FileInfo | undefined },
  temp: TempFile, missing: readonly Block[], progress: CopyProgress, signal: AbortSignal,
): Promise<readonly Block[]> {
  let rest = missing
  const { global, local } = file
  if (local !== undefined && !local.deleted && local.type === 'file' && local.blockHashes !== undefined) {
    const offsets = offsetsByHash(local)
    const place = (block: Block) => {
      const found = offsets.get(hashKey(block.hash))
      return found?.sizeBytes === block.sizeBytes ? found.offsetBytes : undefined
    }
    const source = { path: pathOf(context, global.name), place, onCopied: (block: Block) => progress.onCopied(block, 'origin') }
    rest = await copyFrom(context, source, temp, rest, signal)
  }
  if (rest.length === 0 || global.blocksHash === undefined) return rest
  if (global.sizeBytes < LOOK_FOR_TWINS_SIZE_BYTES_MIN) return rest
  for (const path of await twinsOf(context, global, global.blocksHash)) {
    const place = (block: Block) => block.offsetBytes
    const source = { path, place, onCopied: (block: Block) => progress.onCopied(block, 'elsewhere') }
    rest = await copyFrom(context, source, temp, rest, signal)
    if (rest.length === 0) break
  }
  return rest
}

/** Paths of files that have, as a whole, the content of this one. */
async function twinsOf(context: PullContext, global: FileInfo, blocksHash: Uint8Array): Promise<readonly string[]> {
  const paths: string[] = []
  for (const { root, index } of [{ root: context.root, index: context.index }, ...(await context.otherFolders())]) {
    for (const { name, sizeBytes } of await index.localByBlocks(blocksHash, CANDIDATES_MAX)) {
      if (sizeBytes === global.sizeBytes) paths.push(joinPath(root, name))
    }
  }
  return paths
}

interface CopySource {
  readonly path: string
  /** Where in the file the block should be. */
  place(block: Block): number | undefined
  onCopied(block: Block): void
}

/** Returns the blocks that this file could not give. A file that cannot be read gives none. */
async function copyFrom(
  context: PullContext, { path, place, onCopied }: CopySource, temp: TempFile, wanted: readonly Block[], signal: AbortSignal,
): Promise<readonly Block[]> {
  if (!wanted.some((block) => place(block) !== undefined)) return wanted
  const source = await context.world.disk.open(path, 'read').catch(() => undefined) // gone or unreadable: others have it
  if (source === undefined) return wanted
  await using _source = source
  const rest: Block[] = []
  for (const block of wanted) {
    signal.throwIfAborted()
    const offsetBytes = place(block)
    const data = offsetBytes === undefined ? undefined : await readBlock(source, block, offsetBytes)
    if (data === undefined) rest.push(block)
    else {
      await temp.file.write(data, block.offsetBytes)
      onCopied(block)
    }
  }
  return rest
}

/** Undefined where the file holds something else there. */
async function readBlock(source: DiskFile, block: Block, offsetBytes: number): Promise<Uint8Array | undefined> {
  const data = new Uint8Array(block.sizeBytes)
  let done = 0
  while (done < data.length) {
    // An unreadable spot holds nothing for us.
    const count = await source.read(data.subarray(done), offsetBytes + done).catch(() => 0)
    if (count === 0) return undefined
    done += count
  }
  return isContent(data, block) ? data : undefined
}
