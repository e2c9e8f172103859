import { blocksInPlace, type Block } from '../../core/records/block-diff.ts'
import { trailerOf } from '../../core/encryption/trailer.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { encodeRecord } from '../../protocol/record-bytes.ts'
import type { PullContext } from './context.ts'
import { fetchBlock, fetchBlocks } from './fetch.ts'
import type { FilePull } from './file-pull.ts'
import { PullProgress } from '../state/file-progress.ts'
import { finishFile } from './finish.ts'
import { putNew } from './small-file.ts'
import { openFreshTempFile, type TempFile } from './temp-file.ts'

/** Files of one block up to this size are fetched into memory and created in one step. */
const WHOLE_SIZE_BYTES_MAX = 256 * 1_024

/**
 * Pulls a file of an encrypted folder. Its blocks cannot be verified here: only their lengths are checked, and blocks
 * of an interrupted pull are not reused. The record follows the blocks in the file: that and the password restore it.
 */
export async function pullEncryptedFile(
  context: PullContext,
  pull: FilePull,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<void> {
  const { global } = pull
  await context.tree.makeParents(global.name)
  const trailer = trailerOf(encodeRecord(global))
  const progress = new PullProgress(global, blocks, context.onArrived)
  pull.onBegun(progress)
  const [only] = blocks
  const isWhole = blocks.length === 1 && only !== undefined && only.sizeBytes <= WHOLE_SIZE_BYTES_MAX
  if (isWhole && (await pullWhole(context, pull, only, trailer, progress, signal))) return
  await context.tree.prepare(global.name, pull.local)
  await using temp = await openFreshTempFile(context, global)
  const missing = await copyUnchanged(context, pull, temp, blocks, progress)
  const onRequested = () => progress.requested()
  const onFetched = (block: Block) => progress.fetched(block)
  const onAllRequested = () => pull.onAllRequested()
  const steps = { onRequested, onFetched, onAllRequested }
  await fetchBlocks(context, global, temp, missing, pull.resources, steps, signal)
  await temp.file.write(trailer, global.sizeBytes)
  temp.trailerBytes = trailer.length
  await finishFile(context, global, temp, signal)
}

/** False where the slow path has to find out why not. */
async function pullWhole(
  context: PullContext,
  { global, resources, onAllRequested }: FilePull,
  block: Block,
  trailer: Uint8Array,
  progress: PullProgress,
  signal: AbortSignal,
): Promise<boolean> {
  using _room = await resources.window.acquire(block.sizeBytes, signal)
  progress.requested()
  let isDone = false
  const accept = async (data: Uint8Array): Promise<boolean> => {
    if (data.length !== block.sizeBytes) return false
    onAllRequested()
    isDone = await putNew(
      context,
      global,
      { data: Buffer.concat([data, trailer]), trailerBytes: trailer.length },
      signal,
    )
    return true
  }
  await fetchBlock(context, global, block, resources.buffers, accept, signal)
  if (isDone) progress.fetched(block)
  return isDone
}

/** Copies the blocks that are the same in the old version, which has to be as recorded. Returns the others. */
async function copyUnchanged(
  context: PullContext,
  { global, local }: FilePull,
  temp: TempFile,
  blocks: readonly Block[],
  progress: PullProgress,
): Promise<readonly Block[]> {
  const { blockHashes } = local ?? {}
  if (local?.encrypted === undefined || blockHashes === undefined || local.blockSizeBytes !== global.blockSizeBytes) {
    return blocks
  }
  const same = blocksInPlace(blocks, blockHashes)
  const isAsIs = () => context.tree.matches(global.name, local)
  if (same.size === 0 || !(await isAsIs())) return blocks
  await using old = await context.tree.openToRead(global.name)
  const buffer = Buffer.alloc(global.blockSizeBytes)
  for (const block of blocks.filter(({ number }) => same.has(number))) {
    const data = buffer.subarray(0, block.sizeBytes)
    for (let at = 0, count = -1; at < data.length && count !== 0; at += count) {
      count = await old.read(data.subarray(at), block.offsetBytes + at)
      if (count === 0) return blocks
    }
    await temp.file.write(data, block.offsetBytes)
    temp.wrote(data.length)
  }
  if (!(await isAsIs())) return blocks
  for (const block of blocks) if (same.has(block.number)) progress.copied(block, 'origin')
  return blocks.filter(({ number }) => !same.has(number))
}

/** What follows the content of an encrypted file on disk; undefined for others. */
export function trailerFor(global: FileInfo): Uint8Array | undefined {
  return global.encrypted === undefined ? undefined : trailerOf(encodeRecord(global))
}
