import { hashKey, offsetsByHash, type Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { joinPath } from '../../core/paths.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { CopiedBlock } from '../../platform/file-maker.ts'
import type { OtherFolder, PullContext } from './context.ts'
import type { TempFile } from './temp-file.ts'

/** Limit of files with identical content that are tried, per folder. */
const IDENTICAL_FILES_MAX = 3
/** Smaller files are faster to fetch than to look up. */
const LOOKUP_SIZE_BYTES_MIN = 32 * 1_024
/** Size and number of concurrent copy requests, to keep all threads busy. */
const PORTION_BYTES = 8 * 1_024 * 1_024
const PORTIONS_AT_ONCE = 8
/** Each portion holds one block in memory, and blocks may have 16 MiB. */
const AT_ONCE_BYTES_MAX = 32 * 1_024 * 1_024
/** Limit of files with some of the blocks that are tried, per folder. */
const HOLDERS_MAX = 32

export interface CopyProgress {
  onCopied(block: Block, from: 'origin' | 'elsewhere'): void
}

/** State of one file being filled. */
interface Filling {
  readonly global: FileInfo
  readonly temp: TempFile
  readonly progress: CopyProgress
  readonly signal: AbortSignal
  missing: readonly Block[]
}

/**
 * Fills the temporary file with blocks from local files: from the old version of the file, from files with identical
 * content, then from any file with some of the blocks, of this folder and of those that all devices of this one may
 * read. Blocks are verified by hash. Returns the blocks still missing.
 */
export async function copyBlocks(
  context: PullContext,
  file: { readonly global: FileInfo; readonly local: FileInfo | undefined },
  temp: TempFile,
  missing: readonly Block[],
  progress: CopyProgress,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const { global, local } = file
  const filling: Filling = { global, temp, progress, signal, missing }
  if (local !== undefined && !local.deleted && local.type === 'file') {
    await copyFrom(context, { root: context.root, name: global.name, place: placeIn(local), from: 'origin' }, filling)
  }
  if (filling.missing.length === 0 || global.sizeBytes < LOOKUP_SIZE_BYTES_MIN) return filling.missing
  const folders = [{ root: context.root, index: context.index }, ...(await context.otherFolders())]
  for (const folder of folders) await copyFromIdentical(context, folder, filling)
  // A file of one block can only match as a whole.
  if (global.sizeBytes <= global.blockSizeBytes) return filling.missing
  for (const folder of folders) await copyFromHolders(context, folder, filling)
  return filling.missing
}

/** From files with identical content. */
async function copyFromIdentical(context: PullContext, { root, index }: OtherFolder, filling: Filling): Promise<void> {
  const { blocksHash, sizeBytes } = filling.global
  if (filling.missing.length === 0 || blocksHash === undefined) return
  for (const identical of await index.localByBlocks(blocksHash, IDENTICAL_FILES_MAX)) {
    if (identical.sizeBytes !== sizeBytes) continue
    const place = (block: Block) => block.offsetBytes
    await copyFrom(context, { root, name: identical.name, place, from: 'elsewhere' }, filling)
  }
}

/** From files with some of the blocks. When a file does not match its record, further candidates are queried. */
async function copyFromHolders(context: PullContext, { root, index }: OtherFolder, filling: Filling): Promise<void> {
  const tried = new Set<string>()
  for (let mismatched = true; mismatched && tried.size < HOLDERS_MAX;) {
    mismatched = false
    if (filling.missing.length === 0) return
    const hashes = filling.missing.map(({ hash }) => hash)
    for (const holder of await index.localWithBlocks(hashes, { except: tried, limit: HOLDERS_MAX - tried.size })) {
      tried.add(holder.name)
      const place = placeIn(holder)
      await copyFrom(context, { root, name: holder.name, place, from: 'elsewhere' }, filling)
      mismatched ||= filling.missing.some((block) => place(block) !== undefined)
    }
  }
}

/** The offset of a block according to the file's record. */
function placeIn(file: FileInfo): (block: Block) => number | undefined {
  const offsets = offsetsByHash(file)
  return (block) => {
    const found = offsets.get(hashKey(block.hash))
    return found?.sizeBytes === block.sizeBytes ? found.offsetBytes : undefined
  }
}

interface CopySource {
  readonly root: string
  readonly name: string
  readonly from: 'origin' | 'elsewhere'
  /** The expected offset of the block. */
  place(block: Block): number | undefined
}

/** Blocks that could not be copied stay missing. Unreadable files are skipped. */
async function copyFrom(
  context: PullContext,
  { root, name, place, from }: CopySource,
  filling: Filling,
): Promise<void> {
  const { missing, temp, progress, signal } = filling
  if (!missing.some((block) => place(block) !== undefined)) return
  const isOwn = root === context.root
  const open = isOwn ? context.tree.openToRead(name) : context.platform.disk.open(joinPath(root, name), 'read')
  const source = await open.catch(() => undefined) // fetched instead
  if (source === undefined) return
  await using _source = source
  const copied = new Set<Block>()
  const atOnce = Math.min(PORTIONS_AT_ONCE, AT_ONCE_BYTES_MAX / filling.global.blockSizeBytes)
  await forEachAtOnce(portions(missing, place), atOnce, async (portion) => {
    signal.throwIfAborted()
    const found = await context.platform.fileMaker.copy(source, temp.file, portion)
    portion.forEach(({ block, sizeBytes }, at) => {
      if (found[at] !== true) return
      copied.add(block)
      temp.wrote(sizeBytes)
      progress.onCopied(block, from)
    })
  })
  filling.missing = missing.filter((block) => !copied.has(block))
}

type PlacedBlock = CopiedBlock & { readonly block: Block }

/** The blocks of the source file in portions of limited size. */
function* portions(missing: readonly Block[], place: CopySource['place']): Iterable<readonly PlacedBlock[]> {
  let portion: PlacedBlock[] = []
  let portionBytes = 0
  for (const block of missing) {
    const fromBytes = place(block)
    if (fromBytes === undefined) continue
    const { sizeBytes, hash, offsetBytes: positionBytes } = block
    portion.push({ block, fromBytes, positionBytes, sizeBytes, hash })
    portionBytes += sizeBytes
    if (portionBytes < PORTION_BYTES) continue
    yield portion
    portion = []
    portionBytes = 0
  }
  if (portion.length > 0) yield portion
}
