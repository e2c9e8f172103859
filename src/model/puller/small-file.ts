import type { Block } from '../../core/records/block-diff.ts'
import type { DiskItem } from '../../core/records/change.ts'
import { diskStampOf } from '../../core/records/disk-stamp.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { hasHash, type ReplacedFile } from '../../platform/file-maker.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { keepDisplaced, newAsideName } from './displaced.ts'
import { fetchBlock } from './fetch.ts'
import { PullProgress } from './file-progress.ts'
import { hasPermissions } from './make.ts'
import type { FilePull } from './file-pull.ts'
import { planAgain } from './plan-again.ts'
import { isUntouched, statItem } from './target.ts'

const PERMISSIONS = 0o777
const OWNER_READ_WRITE = 0o600
/** Errors that the slow path handles: a missing or read-only directory, a temporary file, an unexpected item. */
const FALL_BACK_ON: ReadonlySet<string | undefined> = new Set([
  'EEXIST',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  undefined,
])

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
    done = await putNew(context, global, data, signal)
    return true
  }
  await fetchBlock(context, global, block, resources.buffers, accept, signal)
  if (done) progress.fetched(block)
  resources.fastPath.failures = done ? 0 : resources.fastPath.failures + 1
  resources.fastPath.isProven ||= done
  return done
}

/**
 * Creates the file. `data` may end with a trailer that is no part of the content.
 *
 * Under the shared lock, so that no scan sees the file incomplete or without a record. */
export async function putNew(
  context: PullContext,
  global: FileInfo,
  data: Uint8Array,
  signal: AbortSignal,
  trailerBytes?: number,
): Promise<boolean> {
  const { name } = global
  using _lock = await context.folderLock.shared(signal)
  const plan = await planAgain(context, global)
  if (plan === undefined) return true
  if (plan.saveOurs) return false
  const { local } = plan
  let replaces: ReplacedFile | undefined
  if (local !== undefined && !local.deleted) {
    const item = context.archive === undefined ? await statItem(context, name) : undefined
    if (!isFile(item) || !isUntouched(context, item, local)) return false
    replaces = { ...item, asidePath: pathOf(context, newAsideName(context, name)) }
  }
  return await make(context, global, { data, trailerBytes }, replaces)
}

function isFile(item: DiskItem | 'other' | undefined): item is DiskItem {
  return item !== undefined && item !== 'other' && item.type === 'file'
}

async function make(
  context: PullContext,
  global: FileInfo,
  { data, trailerBytes }: { readonly data: Uint8Array; readonly trailerBytes: number | undefined },
  replaces: ReplacedFile | undefined,
): Promise<boolean> {
  const { name, modifiedS, modifiedNs } = global
  const { fileMaker, system } = context.platform
  const mode = hasPermissions(context, global) ? global.permissions & PERMISSIONS : undefined
  const temporaryPath = pathOf(context, temporaryName(name, system.platform))
  const outcome = await fileMaker.make({
    temporaryPath,
    path: pathOf(context, name),
    realDirectory: await context.parents.realParentOf(name),
    data,
    openMode: mode === undefined ? 0o666 : mode | OWNER_READ_WRITE,
    mode,
    modifiedS,
    modifiedNs,
    replaces,
    sync: !context.folder.disableFsync,
  })
  if (outcome.kind === 'failed') {
    if (FALL_BACK_ON.has(outcome.code)) return false
    throw itemFailed(diskReason(outcome.message))
  }
  if (outcome.hasDisplaced === true && replaces !== undefined)
    await keepDisplaced(context, name, replaces.asidePath, temporaryPath)
  context.records.add(adopted(global, { ...outcome, diskStamp: diskStampOf(outcome), trailerBytes }), true)
  return true
}
