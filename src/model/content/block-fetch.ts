import { messageOf } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { WORK_ENDED } from '../../core/never.ts'
import type { Block } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { Logger } from '../../events/types.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { BlockSource, Sources } from '../state/sources.ts'
import { byAvailability, type BlockOrder } from './block-order.ts'
import type { BlockBuffers } from './block-buffers.ts'
import type { FileFormat } from './format.ts'
import type { Clock } from '../../platform/clock.ts'
import type { RequestWindow } from '../../sync/request-window.ts'
import type { TempFile } from './temp-file.ts'
import { TaskSet } from '../../sync/task-set.ts'

const WENT_AWAY = 'peers who had this file went away, or the file has changed while syncing. will retry later'

/** A block that another device has, too, is requested there after this time without a reply, and that of its bytes. */
const REPLY_MS_MAX = 60_000
const REPLY_BYTES_PER_MS_MIN = 16

/** Shared by all concurrent fetches of a folder. */
export interface BlockFetchDeps {
  readonly folder: FolderId
  readonly sources: Sources
  readonly window: RequestWindow
  readonly buffers: BlockBuffers
  readonly log: Logger
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
}

/** The file whose blocks are fetched. */
export interface FetchedFile {
  readonly global: FileInfo
  readonly format: FileFormat
  readonly progress: Pick<PullProgress, 'requested' | 'fetched'>
  /** All blocks are requested: the next file may begin. */
  onAllRequested(): void
}

/** A verified block. */
interface ReceivedBlock {
  readonly data: Uint8Array
  /** `data` must not be used any longer. */
  release(): void
}

/** A block of a file, and where it is requested. */
interface RequestedBlock {
  readonly name: string
  readonly block: Block
  readonly source: BlockSource
}

export type BlockReply =
  | ({ readonly kind: 'received' } & ReceivedBlock)
  /** The device refused the request, or disconnected. */
  | { readonly kind: 'failed'; readonly error: unknown }

type Failure = Extract<BlockReply, { kind: 'failed' }> | { readonly kind: 'mismatch' }

/** Fetches the blocks of one file from other devices. */
export class BlockFetch {
  readonly #deps: BlockFetchDeps
  readonly #file: FetchedFile

  constructor(deps: BlockFetchDeps, file: FetchedFile) {
    this.#deps = deps
    this.#file = file
  }

  /**
   * Fetches one block into memory, from `first` if it is known, with or without verifying it. The window counts it
   * until it is disposed.
   */
  async toMemory(
    block: Block,
    signal: AbortSignal,
    { first, verify = true }: { readonly first?: BlockSource | undefined; readonly verify?: boolean } = {},
  ): Promise<Disposable & { readonly data: Uint8Array }> {
    const { format, onAllRequested, progress } = this.#file
    const room = await this.#deps.window.acquire(block.sizeBytes, signal)
    try {
      progress.requested()
      const accept = async (data: Uint8Array) => !verify || format.verify(block, data)
      const received = await this.#fetch(block, accept, signal, first)
      onAllRequested()
      const { data } = received
      return {
        data,
        [Symbol.dispose]: () => {
          received.release()
          room[Symbol.dispose]()
        },
      }
    } catch (error) {
      room[Symbol.dispose]()
      throw error
    }
  }

  /**
   * Fetches the missing blocks and writes them. The window limits the blocks in flight; a block stays in it until it is
   * on disk, so that a slow disk throttles requests. Rejects with the first failed block, after all others in flight
   * have ended.
   */
  async toFile(temp: TempFile, missing: BlockOrder, outer: AbortSignal): Promise<void> {
    const { clock, window } = this.#deps
    const { onAllRequested, progress } = this.#file
    const stop = new AbortController()
    // Composing signals is expensive for many small files.
    const signal = missing.first.length + missing.others.length < 2 ? outer : AbortSignal.any([outer, stop.signal])
    const inFlight = new TaskSet()
    const failures: unknown[] = []
    const fetchOne = async (block: Block, room: Disposable): Promise<void> => {
      using _room = room
      try {
        const received = await this.#fetch(block, (data) => this.#write(temp, block, data), signal)
        received.release()
        temp.wrote(block.sizeBytes)
        progress.fetched(block)
      } catch (error) {
        failures.push(error)
        stop.abort(new Error('another block of the file failed'))
      }
    }
    try {
      const requests = {
        isCommon: (block: Block) => this.#isCommon(block),
        inFlight: () => inFlight.size,
        nowMs: () => clock.monotonicMs(),
        pause: async (ms: number) => {
          onAllRequested() // the line is free for the next file
          await clock.sleep(ms, signal)
        },
      }
      for await (const block of byAvailability(missing, requests)) {
        if (failures.length > 0) break
        // Rejects only on abort: the reason is thrown below.
        const room = await window.acquire(block.sizeBytes, signal).catch(() => undefined)
        if (room === undefined) break
        progress.requested()
        inFlight.add(fetchOne(block, room))
      }
    } catch (error) {
      if (!signal.aborted) throw error // the reason is thrown below
    } finally {
      onAllRequested()
      await inFlight.ended()
    }
    outer.throwIfAborted()
    if (failures.length > 0) throw failures[0]
  }

  async #isCommon({ number }: Block): Promise<boolean> {
    const found = await this.#deps.sources.sourcesOf(this.#deps.folder, this.#file.global, number)
    return found.length > 1 || found.some(({ fromTemporary }) => fromTemporary)
  }

  async #write({ file }: TempFile, block: Block, data: Uint8Array): Promise<boolean> {
    const onWritten = this.#deps.window.arrived(data.length)
    try {
      return await this.#file.format.write(file, block, data)
    } finally {
      onWritten()
    }
  }

  /**
   * Requests a block from one device after the other, `first` and then the soonest first, until `accept` confirms the
   * data; its rejection is final. A device that sends wrong data gets a second request, which makes it rehash its file
   * (decision 010).
   */
  async #fetch(
    block: Block,
    accept: (data: Uint8Array) => Promise<boolean>,
    signal: AbortSignal,
    first?: BlockSource,
  ): Promise<ReceivedBlock> {
    const { log } = this.#deps
    let tries: Tries | undefined
    let last: Failure | undefined
    for (let known = first; ; known = undefined) {
      signal.throwIfAborted()
      const found = known === undefined ? await this.#sourcesOf(block, tries) : undefined
      const source = known ?? found?.[0]
      if (source === undefined) throw failureOf(last)
      const requested = requestBlock(this.#deps, { name: this.#file.global.name, block, source }, signal)
      const hasOther = found !== undefined && found.length > 1
      const reply = await (hasOther ? this.#inTime(block, requested) : requested)
      if (reply.kind === 'failed') {
        last = reply
        tries ??= new Tries()
        tries.failed(source)
        continue
      }
      if (reply.data.length === block.sizeBytes && (await accept(reply.data))) return reply
      reply.release()
      last = { kind: 'mismatch' }
      tries ??= new Tries()
      tries.mismatched(source)
      log.debug(() => {
        const origin = `block ${block.number} from ${source.device}`
        return `folder ${this.#deps.folder}: ${JSON.stringify(this.#file.global.name)}: hash mismatch of ${origin}`
      })
    }
  }

  async #sourcesOf(block: Block, tries: Tries | undefined): Promise<readonly BlockSource[]> {
    const all = await this.#deps.sources.sourcesOf(this.#deps.folder, this.#file.global, block.number)
    return tries === undefined ? all : tries.untried(all)
  }

  /** A later reply is not used, and its memory not reused. */
  async #inTime({ sizeBytes }: Block, requested: Promise<BlockReply>): Promise<BlockReply> {
    const { clock } = this.#deps
    const stop = new AbortController()
    const limitMs = REPLY_MS_MAX + sizeBytes / REPLY_BYTES_PER_MS_MIN
    const late = clock.sleep(limitMs, stop.signal).then((): BlockReply => {
      requested.catch(() => {}) // an abort, which the signal of the fetch reports
      return { kind: 'failed', error: new Error(`no reply within ${Math.round(limitMs / 1_000)} s`) }
    })
    late.catch(() => {}) // the reply came first
    try {
      return await Promise.race([requested, late])
    } finally {
      stop.abort(WORK_ENDED)
    }
  }
}

/** Requests one block of a file, into memory that is reused once it is released. Rejects when the signal aborts. */
export async function requestBlock(
  { buffers, folder, sources }: Pick<BlockFetchDeps, 'buffers' | 'folder' | 'sources'>,
  { name, block, source }: RequestedBlock,
  signal: AbortSignal,
): Promise<BlockReply> {
  const { offsetBytes, sizeBytes, hash, number: blockNumber } = block
  const { device, fromTemporary } = source
  let memory: Uint8Array | undefined
  const into = (dataBytes: number): Uint8Array | undefined => {
    memory = dataBytes > sizeBytes ? undefined : buffers.take(sizeBytes)
    return memory?.subarray(0, dataBytes)
  }
  const request = { folder, name, offsetBytes, sizeBytes, hash, fromTemporary, blockNumber, into }
  try {
    const data = await sources.request(device, request, signal)
    const release = () => {
      if (memory !== undefined) buffers.release(memory)
    }
    return { kind: 'received', data, release }
  } catch (error) {
    if (signal.aborted) throw error
    return { kind: 'failed', error } // the connection may still write to the memory
  }
}

/** The devices that failed to serve a block; most blocks need none. */
class Tries {
  readonly #failed = new Set<string>()
  readonly #mismatched = new Set<string>()

  untried(all: readonly BlockSource[]): readonly BlockSource[] {
    return all.filter((each) => !this.#failed.has(keyOf(each)))
  }

  failed(source: BlockSource): void {
    this.#failed.add(keyOf(source))
  }

  /** The first time the device is tried again. */
  mismatched(source: BlockSource): void {
    const key = keyOf(source)
    if (this.#mismatched.has(key)) this.#failed.add(key)
    this.#mismatched.add(key)
  }
}

function failureOf(last: Failure | undefined): Error {
  if (last?.kind === 'mismatch') return itemFailed('pull: hash mismatch')
  const error = last?.error ?? new Error(WENT_AWAY)
  return itemFailed(`pull: ${messageOf(error)}`, { cause: error, detail: 'unserved' })
}

function keyOf({ device, fromTemporary }: BlockSource): string {
  return `${device}${fromTemporary ? ' temporary' : ''}`
}
