import { blocksInPlace, type Block } from '../../core/records/block-diff.ts'
import { trailerOf } from '../../core/encryption/trailer.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { encodeRecord } from '../../protocol/record-bytes.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { fetchBlock, fetchBlocks } from './fetch.ts'
import type { FilePull } from './file-pull.ts'
import { PullProgress } from './file-progress.ts'
import { finishFile } from './finish.ts'
import { putNew } from './small-file.ts'
import { checkTarget, isUntouched, refuseObstacle, statItem } from './target.ts'
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
  await context.parents.ensureMade(global.name)
  const trailer = trailerOf(encodeRecord(global))
  const progress = new PullProgress(global, blocks, context.onArrived)
  pull.onBegun(progress)
  const [only] = blocks
  const isWhole = blocks.length === 1 && only !== undefined && only.sizeBytes <= WHOLE_SIZE_BYTES_MAX
  if (isWhole && (await pullWhole(context, pull, only, trailer, progress, signal))) return
  await context.parents.check(global.name)
  await refuseObstacle(context, global.name, pull.local)
  await using temp = await openFreshTempFile(context, global)
  const missing = await copyUnchanged(context, pull, temp, blocks, progress)
  const onRequested = () => progress.requested()
  const onFetched = (block: Block) => progress.fetched(block)
  const onAllRequested = () => pull.onAllRequested()
  const steps = { onRequested, onFetched, onAllRequested }
  await fetchBlocks(context, global, temp, missing, pull.resources, steps, signal)
  await temp.file.write(trailer, global.sizeBytes)
  await finishFile(context, global, temp, signal, trailer.length)
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
    isDone = await putNew(context, global, Buffer.concat([data, trailer]), signal, trailer.length)
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
  const isAsIs = async () => isUntouched(context, await statItem(context, global.name), local)
  if (same.size === 0 || !(await isAsIs())) return blocks
  await using old = await context.platform.disk.open(pathOf(context, global.name), 'read')
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

/** The blocks are the same: only the record at the end of the file changes. */
export async function takeEncryptedMetadata(context: PullContext, global: FileInfo, local: FileHead): Promise<void> {
  const { name, sizeBytes, modifiedS, modifiedNs } = global
  const { disk } = context.platform
  await context.parents.check(name)
  if ((await checkTarget(context, name, local)) === undefined) throw itemFailed('file does not exist any more')
  const path = pathOf(context, name)
  const trailer = trailerOf(encodeRecord(global))
  await using file = await disk.open(path, 'write')
  await file.write(trailer, sizeBytes)
  await file.truncate(sizeBytes + trailer.length)
  // Before the sync: with another time after a power loss the file would count as changed here, for good.
  await disk.setModified(path, modifiedS, modifiedNs)
  if (!context.folder.disableFsync) await file.sync()
  await file.close()
  const after = await disk.lstat(path)
  const state = { modifiedS: after.modifiedS, modifiedNs: after.modifiedNs, trailerBytes: trailer.length }
  context.records.add(adopted(global, state), true)
}
