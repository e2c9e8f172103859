import type { Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { hasHash } from '../../platform/file-maker.ts'
import type { MemoryContent } from '../tree/content.ts'
import { adopted, type PullContext } from './context.ts'
import { fetchBlock } from './fetch.ts'
import { PullProgress } from '../state/file-progress.ts'
import type { FilePull } from './file-pull.ts'
import { planAgain } from './plan-again.ts'

/** Larger files are looked up on this machine first. */
export const FAST_PATH_SIZE_BYTES_MAX = 32 * 1_024 - 1
/** Limit of consecutive failures of the fast path: each costs a block. */
const FAST_PATH_FAILURES_MAX = 8

/** The only block of a file that qualifies for the fast path: its content is not on this machine. */
export function onlyBlock({ global, local, resources }: FilePull, blocks: readonly Block[]): Block | undefined {
  const [block, second] = blocks
  if (block === undefined || second !== undefined || block.sizeBytes === 0) return undefined
  if (global.sizeBytes > FAST_PATH_SIZE_BYTES_MAX || resources.fastPath.failures >= FAST_PATH_FAILURES_MAX)
    return undefined
  return holds(local, block) ? undefined : block
}

function holds(local: FileInfo | undefined, block: Block): boolean {
  if (local === undefined || local.deleted || local.type !== 'file' || local.sizeBytes < block.sizeBytes) return false
  const hashes = local.blockHashes
  if (hashes === undefined) return false
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).indexOf(block.hash) >= 0
}

/**
 * Fast path for a small file that is new or replaces a small one: fetched into memory, then written, synced and renamed
 * in one step. False where a precondition fails: nothing has changed, and the slow path reports the reason.
 */
export async function pullSmallFile(
  context: PullContext,
  pull: FilePull,
  block: Block,
  signal: AbortSignal,
): Promise<boolean> {
  const { global, resources } = pull
  const progress = new PullProgress(global, [block], context.onArrived)
  pull.onBegun(progress)
  using _room = await resources.window.acquire(block.sizeBytes, signal)
  progress.requested()
  let done = false
  const accept = async (data: Uint8Array): Promise<boolean> => {
    if (data.length !== block.sizeBytes || !hasHash({ data, hash: block.hash })) return false
    pull.onAllRequested()
    done = await putNew(context, global, { data, trailerBytes: undefined }, signal)
    return true
  }
  await fetchBlock(context, global, block, resources.buffers, accept, signal)
  if (done) progress.fetched(block)
  resources.fastPath.failures = done ? 0 : resources.fastPath.failures + 1
  resources.fastPath.isProven ||= done
  return done
}

/**
 * Creates the file. `data` may end with a trailer that is no part of the content. Under the lock, so that no scan
 * sees the file incomplete or without a record.
 */
export async function putNew(
  context: PullContext,
  global: FileInfo,
  content: Omit<MemoryContent, 'kind'>,
  signal: AbortSignal,
): Promise<boolean> {
  using _lock = await context.folderLock.shared(signal)
  const plan = await planAgain(context, global)
  if (plan === undefined) return true
  const state = await context.tree.put({ kind: 'memory', ...content }, { global, ...plan })
  if (state !== undefined) context.records.add(adopted(global, state))
  return state !== undefined
}
