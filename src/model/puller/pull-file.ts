import { detailOf } from '../../core/errors.ts'
import { blocksOf, type Block } from '../../core/records/block-diff.ts'
import { sortBlocks } from '../../core/records/pull-order.ts'
import type { PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { noSource } from '../state/sources.ts'
import { copyBlocks } from './copy.ts'
import { pullEncryptedFile } from './encrypted-file.ts'
import { fetchBlocks } from './fetch.ts'
import { PullProgress } from '../state/file-progress.ts'
import type { FilePull } from './file-pull.ts'
import { finishFile } from './finish.ts'
import { onlyBlock, pullSmallFile } from './small-file.ts'
import { openTempFile, type TempFile } from './temp-file.ts'

/** Pulls one file. After a failure the temporary file with its blocks stays only if a retry continues with it. */
export async function pullFile(context: PullContext, pull: FilePull, signal: AbortSignal): Promise<void> {
  const { global } = pull
  const blocks = blocksOf(global)
  if (blocks === undefined) throw itemFailed('the record of this file has no usable block list')
  if ((await context.sources.sourcesOf(context.folder.id, global, 0)).length === 0) throw noSource()
  // Checked before the transfer, which would be in vain.
  await context.tree.checkReplaceable(global.name, pull.local)
  if (global.encrypted !== undefined) return await pullEncryptedFile(context, pull, blocks, signal)
  const small = context.tree.takesMemory(global) ? onlyBlock(pull, blocks) : undefined
  if (small !== undefined && (await pullSmallFile(context, pull, small, signal))) return
  const { temporaries } = context.tree
  await context.tree.prepare(global.name, pull.local)
  await using temp = await openTempFile(context, pull, blocks, signal).catch(async (error: unknown) => {
    if (!signal.aborted) await temporaries.removeIfThere(global.name).catch(() => {})
    throw error
  })
  const progress = new PullProgress(global, blocks, context.onArrived)
  pull.onBegun(progress)
  try {
    await fill(context, pull, temp, blocks, progress, signal)
    await finishFile(context, global, temp, signal)
  } catch (error) {
    // One block is fetched again at less cost than the temporary file has for users.
    const isKept = signal.aborted || (isResumable(error) && blocks.length > 1)
    if (!isKept) await temporaries.discard(global.name, temp).catch(() => {})
    throw error
  }
}

/** Whether the blocks in the temporary file are of use for a retry. */
function isResumable(error: unknown): boolean {
  const detail = detailOf(error)
  return detail === 'unserved' || detail === 'modified'
}

async function fill(
  context: PullContext,
  pull: FilePull,
  temp: TempFile,
  blocks: readonly Block[],
  progress: PullProgress,
  signal: AbortSignal,
): Promise<void> {
  const { global, local } = pull
  const sparse = temp.isFresh && !context.folder.disableSparseFiles && global.sizeBytes > global.blockSizeBytes
  const missing: Block[] = []
  for (const block of blocks) {
    const present = temp.present.has(block.number)
    if (present && temp.copied) progress.copied(block, 'origin')
    else if (present || block.sizeBytes === 0 || (sparse && pull.zeros.has(block))) progress.reused(block)
    else missing.push(block)
  }
  const onCopied = (block: Block, from: 'origin' | 'elsewhere') => progress.copied(block, from)
  const rest = await copyBlocks(context, { global, local }, temp, missing, { onCopied }, signal)
  await fetchBlocks(
    context,
    global,
    temp,
    inOrder(context, rest, blocks),
    pull.resources,
    {
      onRequested: () => progress.requested(),
      onFetched: (block) => progress.fetched(block),
      onAllRequested: () => pull.onAllRequested(),
    },
    signal,
  )
}

/** Each device that shares the folder begins at a different part of the file. */
function inOrder(context: PullContext, rest: readonly Block[], blocks: readonly Block[]): readonly Block[] {
  const { blockPullOrder, devices } = context.folder
  const ids = devices.map(({ deviceID }) => deviceID).sort()
  const own = Math.max(0, ids.indexOf(context.ownDevice))
  const chance = (below: number) => context.platform.random.int(below)
  const numbers = rest.map(({ number }) => number)
  return sortBlocks(numbers, blockPullOrder, { own, count: ids.length }, chance).map((number) => blocks[number]!)
}
