import type { Block } from '../../core/records/block-diff.ts'
import { messageOf } from '../../core/errors.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { BlockRequest } from '../../protocol/types.ts'
import type { BlockSource } from '../state/sources.ts'
import type { BlockBuffers } from './block-buffers.ts'
import type { PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { RequestWindow } from './request-window.ts'
import type { TempFile } from './temp-file.ts'

const MISMATCH = 'hash mismatch'
const WENT_AWAY = 'peers who had this file went away, or the file has changed while syncing. will retry later'

/** Shared by all concurrent fetches of a folder. */
export interface FetchResources {
  readonly window: RequestWindow
  readonly buffers: BlockBuffers
  /** Consecutive failures of the fast path for small files, and whether it ever succeeded. */
  readonly fastPath: { failures: number; isProven: boolean }
}

export interface FetchProgress {
  onRequested(block: Block): void
  onFetched(block: Block): void
  /** All blocks are requested: the next file may begin. */
  onAllRequested(): void
}

/**
 * Fetches the missing blocks from other devices and writes them. The window limits the blocks in flight; a block stays
 * in it until it is on disk, so that a slow disk throttles requests. Rejects with the first failed block, after all
 * others in flight have ended.
 */
export async function fetchBlocks(
  context: PullContext,
  global: FileInfo,
  temp: TempFile,
  missing: readonly Block[],
  resources: FetchResources,
  progress: FetchProgress,
  outer: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  // Composing signals is expensive for many small files.
  const signal = missing.length < 2 ? outer : AbortSignal.any([outer, stop.signal])
  const inFlight = new Set<Promise<void>>()
  const failures: unknown[] = []
  const one = async (block: Block, room: Disposable): Promise<void> => {
    using _room = room
    try {
      await fetchBlock(
        context,
        global,
        block,
        resources.buffers,
        (data) => put(context, temp, block, data, { window: resources.window, global }),
        signal,
      )
      temp.wrote(block.sizeBytes)
      progress.onFetched(block)
    } catch (error) {
      failures.push(error)
      stop.abort(new Error('another block of the file failed'))
    }
  }
  try {
    for (const block of missing) {
      if (failures.length > 0) break
      // Rejects only on abort: the reason is thrown below.
      const room = await resources.window.acquire(block.sizeBytes, signal).catch(() => undefined)
      if (room === undefined) break
      progress.onRequested(block)
      const task = one(block, room).finally(() => inFlight.delete(task))
      inFlight.add(task)
    }
  } finally {
    progress.onAllRequested()
    await Promise.all(inFlight)
  }
  outer.throwIfAborted()
  if (failures.length > 0) throw failures[0]
}

async function put(
  context: PullContext,
  { file }: TempFile,
  block: Block,
  data: Uint8Array,
  { window, global }: { readonly window: RequestWindow; readonly global: FileInfo },
): Promise<boolean> {
  if (data.length !== block.sizeBytes) return false
  const onWritten = window.arrived(data.length)
  try {
    if (global.encrypted !== undefined) {
      await file.write(data, block.offsetBytes) // a token cannot be checked without the password
      return true
    }
    return await context.platform.fileMaker.write(file, { data, positionBytes: block.offsetBytes, hash: block.hash })
  } finally {
    onWritten()
  }
}

/**
 * Requests a block from one device after the other, the least busy first, until `accept` confirms the data. The data is
 * only valid until `accept` resolves; its rejection is final. A device that sends wrong data gets a second request,
 * which makes it rehash its file (decision 010).
 */
export async function fetchBlock(
  context: PullContext,
  global: FileInfo,
  block: Block,
  buffers: BlockBuffers,
  accept: (data: Uint8Array) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const { folder, log, sources } = context
  const tried = new Set<string>()
  const mismatched = new Set<string>()
  let memory: Uint8Array | undefined
  const into = (dataBytes: number): Uint8Array | undefined => {
    memory = dataBytes > block.sizeBytes ? undefined : buffers.take(block.sizeBytes)
    return memory?.subarray(0, dataBytes)
  }
  let last: unknown = new Error(WENT_AWAY)
  for (;;) {
    signal.throwIfAborted()
    const all = await sources.sourcesOf(folder.id, global, block.number)
    const source = all.find((each) => !tried.has(keyOf(each)))
    if (source === undefined) throw last === MISMATCH ? itemFailed(`pull: ${MISMATCH}`) : notServed(last)
    tried.add(keyOf(source))
    let data: Uint8Array
    try {
      data = await sources.request(source.device, requestFor(context, global, block, source, into), signal)
    } catch (error) {
      if (signal.aborted) throw error
      memory = undefined // the connection may still write to it
      last = error
      continue
    }
    const isRight = await accept(data)
    if (memory !== undefined) buffers.release(memory)
    memory = undefined
    if (isRight) return
    last = MISMATCH
    if (!mismatched.has(keyOf(source))) tried.delete(keyOf(source))
    mismatched.add(keyOf(source))
    log.debug(() => {
      const origin = `block ${block.number} from ${source.device}`
      return `folder ${folder.id}: ${JSON.stringify(global.name)}: hash mismatch of ${origin}`
    })
  }
}

function notServed(error: unknown): Error {
  return itemFailed(`pull: ${messageOf(error)}`, { cause: error, detail: 'unserved' })
}

function keyOf({ device, fromTemporary }: BlockSource): string {
  return `${device}${fromTemporary ? ' temporary' : ''}`
}

function requestFor(
  context: PullContext,
  global: FileInfo,
  block: Block,
  source: BlockSource,
  into: BlockRequest['into'],
): BlockRequest {
  return {
    folder: context.folder.id,
    name: global.name,
    offsetBytes: block.offsetBytes,
    sizeBytes: block.sizeBytes,
    hash: block.hash,
    fromTemporary: source.fromTemporary,
    blockNumber: block.number,
    ...(into !== undefined && { into }),
  }
}
