import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { isCanonical } from '../../core/paths.ts'
import { blockAt, type Block } from '../../core/records/block-diff.ts'
import { blockParts, contentTag, type BlockPart } from '../../core/records/block-range.ts'
import { BLOCK_SIZE_BYTES_MAX } from '../../core/records/blocks.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { BothRecords } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FileMaker } from '../../platform/file-maker.ts'
import type { BlockReader } from '../../platform/files/block-reader.ts'
import { RequestWindow } from '../../sync/request-window.ts'
import type { Sources } from '../state/sources.ts'
import { BlockBuffers } from './block-buffers.ts'
import { BlockCache, type WantedBlock } from './block-cache.ts'
import { BlockFetch } from './block-fetch.ts'
import { formatOf, plainFormat } from './format.ts'
import type { ContentView, OpenedContent } from './reader-types.ts'

const MIB = 1_024 * 1_024
/** Blocks on their way into memory, for all readers. */
const WINDOW_BYTES = 32 * MIB
/** Blocks in memory, for all readers. */
const CACHE_BYTES = 64 * MIB
/** Blocks that are requested before they are read, for all readers: the cache must not lose them before that. */
const ALL_AHEAD_BYTES_MAX = CACHE_BYTES / 2
/** The same for one reader, who begins with one block: many read only the beginning. */
const AHEAD_BYTES_MAX = 16 * MIB
/** Given to a reader at a time, and held by a slow one. */
const PIECE_BYTES = 256 * 1_024

const NO_PROGRESS = { requested: () => {}, fetched: () => {} }

/** A folder whose contents can be read. */
interface ReadableFolder {
  /** Absolute. */
  readonly root: string
  readonly isEncrypted: boolean
}

export interface ContentReaderDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly blocks: BlockReader
  readonly fileMaker: FileMaker
  readonly sources: Sources
  readonly log: Logger
  /** Throws `folder-missing`, `folder-paused` or `folder-not-running`. */
  folder(folder: FolderId): ReadableFolder
  records(folder: FolderId, name: string): Promise<BothRecords>
  /** A text that names the devices which had the file last, and when they were seen. */
  lastHolders(holders: BothRecords['holders']): Promise<string>
}

/** A version of a file, and where its blocks may be. */
interface ReadFile {
  readonly folder: FolderId
  readonly root: string
  readonly global: FileInfo
  readonly holders: BothRecords['holders']
  /** Our record: blocks that it has at the same place are read from this disk. */
  readonly local: FileInfo | undefined
  readonly fetch: BlockFetch
}

/**
 * Reads the newest version of files without keeping them: from this disk where a block is here, otherwise from
 * connected devices. Every block is verified by its hash before a byte of it is given to a reader, also one of this
 * disk, whose file may have been changed since the last scan.
 */
export class ContentReader implements ContentView {
  readonly #deps: ContentReaderDeps
  readonly #window: RequestWindow
  /** Keeps none: the memory of a block belongs to the cache until it is collected. */
  readonly #buffers: BlockBuffers
  readonly #cache = new BlockCache(CACHE_BYTES)
  #aheadBytes = 0

  constructor(deps: ContentReaderDeps) {
    this.#deps = deps
    this.#window = new RequestWindow(WINDOW_BYTES, deps.clock)
    this.#buffers = new BlockBuffers(0, (sizeBytes) => Buffer.allocUnsafeSlow(sizeBytes))
  }

  async open(folder: FolderId, name: string, signal: AbortSignal): Promise<OpenedContent> {
    const { root, isEncrypted } = this.#deps.folder(folder)
    if (isEncrypted) throw encrypted(folder)
    if (!isCanonical(name)) throw new TwinfoldError('bad-request', 'file must be a path inside the folder')
    const { global, holders, local } = await this.#deps.records(folder, name)
    signal.throwIfAborted()
    const etag = checkReadable(folder, name, global)
    const here = localOf(local, global!)
    const readFile: ReadFile = {
      folder,
      root,
      global: global!,
      holders,
      local: here,
      fetch: this.#fetchOf(folder, global!),
    }
    await this.#checkAvailable(readFile, signal)
    const { modifiedS, modifiedNs, sizeBytes } = readFile.global
    return {
      name,
      sizeBytes,
      modifiedMs: modifiedS * 1_000 + Math.floor(modifiedNs / 1_000_000),
      etag,
      read: (fromBytes, toBytes, readSignal) => this.#read(readFile, { fromBytes, toBytes }, readSignal),
    }
  }

  #fetchOf(folder: FolderId, global: FileInfo): BlockFetch {
    const { clock, fileMaker, log, sources } = this.#deps
    const verify = ({ hash }: Block, data: Uint8Array) => fileMaker.verify({ data, hash })
    const format = { ...formatOf(global, plainFormat(fileMaker)), verify }
    return new BlockFetch(
      { folder, sources, window: this.#window, buffers: this.#buffers, log, clock },
      { global, format, progress: NO_PROGRESS, onAllRequested: () => {} },
    )
  }

  /** So that a file that no device can give is refused before a reply has begun. */
  async #checkAvailable(file: ReadFile, signal: AbortSignal): Promise<void> {
    const { folder, global, local } = file
    if (global.sizeBytes === 0 || (await this.#deps.sources.sourcesOf(folder, global, 0)).length > 0) return
    const block = blockAt(global, 0)!
    if (!hasInPlace(local, block)) throw await this.#unavailable(file, undefined)
    // Kept in the cache: it is most likely read next.
    using wanted = this.#cache.want(block.hash, async () => {
      const data = await this.#fromDisk(file, block)
      if (data === undefined) throw await this.#unavailable(file, undefined)
      return data
    })
    await wanted.data(signal)
  }

  async *#read(
    file: ReadFile,
    { fromBytes, toBytes }: { readonly fromBytes: number; readonly toBytes: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { blockSizeBytes, sizeBytes } = file.global
    const parts = blockParts(blockSizeBytes, fromBytes, Math.min(toBytes, sizeBytes))[Symbol.iterator]()
    const queue: QueuedPart[] = []
    let aheadMax = 1
    let next = parts.next()
    try {
      for (;;) {
        while (next.done !== true && (queue.length === 0 || this.#mayReadAhead(queue, aheadMax, blockSizeBytes))) {
          queue.push(this.#enqueue(file, next.value, queue.length > 0))
          next = parts.next()
        }
        const current = queue[0]
        if (current === undefined) return
        this.#notAhead(current)
        for (let at = current.part.fromBytes; at < current.part.toBytes;) {
          const data = await current.wanted.data(signal)
          const piece = pieceOf(data, at, Math.min(at + PIECE_BYTES, current.part.toBytes))
          at += piece.length
          yield piece
        }
        current.wanted[Symbol.dispose]()
        queue.shift()
        aheadMax *= 2
      }
    } finally {
      for (const queued of queue) {
        this.#notAhead(queued)
        queued.wanted[Symbol.dispose]()
      }
    }
  }

  #mayReadAhead(queue: readonly QueuedPart[], aheadMax: number, blockSizeBytes: number): boolean {
    if (queue.length > aheadMax || queue.length * blockSizeBytes > AHEAD_BYTES_MAX) return false
    return this.#aheadBytes + blockSizeBytes <= ALL_AHEAD_BYTES_MAX
  }

  #enqueue(file: ReadFile, part: BlockPart, isAhead: boolean): QueuedPart {
    const block = blockAt(file.global, part.number)!
    const wanted = this.#cache.want(block.hash, (signal) => this.#obtain(file, block, signal))
    const aheadBytes = isAhead ? file.global.blockSizeBytes : 0
    this.#aheadBytes += aheadBytes
    return { part, wanted, aheadBytes }
  }

  #notAhead(queued: QueuedPart): void {
    this.#aheadBytes -= queued.aheadBytes
    queued.aheadBytes = 0
  }

  async #obtain(file: ReadFile, block: Block, signal: AbortSignal): Promise<Uint8Array> {
    if (hasInPlace(file.local, block)) {
      using _room = await this.#window.acquire(block.sizeBytes, signal)
      const data = await this.#fromDisk(file, block)
      if (data !== undefined) return data
    }
    try {
      using received = await file.fetch.toMemory(block, signal)
      this.#window.arrived(block.sizeBytes)()
      return owned(received.data)
    } catch (error) {
      if (signal.aborted) throw error
      throw await this.#unavailable(file, error)
    }
  }

  /** Undefined if this disk does not have the block: the file was changed or removed since the last scan. */
  async #fromDisk({ global, local, root }: ReadFile, block: Block): Promise<Uint8Array | undefined> {
    if (!hasInPlace(local, block)) return undefined
    const { hash, offsetBytes, sizeBytes } = block
    const result = await this.#deps.blocks
      .read({ root, name: global.name, offsetBytes, sizeBytes, hash })
      .catch(() => undefined) // unreadable here: other devices may have it
    if (result?.kind !== 'read') return undefined
    const data = result.data.length === sizeBytes ? copyOf(result.data) : undefined
    result.releaseBuffer()
    return data
  }

  async #unavailable({ global, holders, local }: ReadFile, cause: unknown): Promise<TwinfoldError> {
    const here = local === undefined ? '' : ' The file on this disk was changed or removed since the last scan.'
    const name = JSON.stringify(global.name)
    const had = await this.#deps.lastHolders(holders)
    const why = cause === undefined ? '' : ` (${messageOf(cause)})`
    const message = `no connected device can give the newest version of ${name}${why}.${here} ${had}`
    return new TwinfoldError('content-unavailable', message, cause === undefined ? {} : { cause })
  }
}

interface QueuedPart {
  readonly part: BlockPart
  readonly wanted: WantedBlock
  /** Counted while nothing of it was read. */
  aheadBytes: number
}

function encrypted(folder: FolderId): TwinfoldError {
  const reason = `folder ${folder} holds only encrypted data here: open the file on a device that has the password`
  return new TwinfoldError('content-encrypted', reason)
}

/** The entity tag of a file that can be read. */
function checkReadable(folder: FolderId, name: string, global: FileInfo | undefined): string {
  if (global === undefined) throw new TwinfoldError('file-missing', `no device has announced ${JSON.stringify(name)}`)
  if (global.deleted) throw new TwinfoldError('file-missing', `${JSON.stringify(name)} was deleted`)
  if (global.encrypted !== undefined) throw encrypted(folder)
  if (global.type !== 'file') {
    throw new TwinfoldError('refused', `${JSON.stringify(name)} is a ${global.type}, which has no content`)
  }
  const etag = contentTag(global)
  // A block is held in memory as a whole.
  if (etag === undefined || blockAt(global, 0) === undefined || global.blockSizeBytes > BLOCK_SIZE_BYTES_MAX) {
    throw new TwinfoldError('refused', `the record of ${JSON.stringify(name)} has no usable block list`)
  }
  return etag
}

/** Our record, if its file may hold blocks of the newest version at the same places. */
function localOf(local: FileInfo | undefined, global: FileInfo): FileInfo | undefined {
  if (local === undefined || local.deleted || local.type !== 'file' || local.encrypted !== undefined) return undefined
  return local.blockHashes === undefined || local.blockSizeBytes !== global.blockSizeBytes ? undefined : local
}

function hasInPlace(local: FileInfo | undefined, block: Block): boolean {
  const here = local === undefined ? undefined : blockAt(local, block.number)
  return here?.sizeBytes === block.sizeBytes && Buffer.compare(here.hash, block.hash) === 0
}

/** Of a large block a copy: a slow reader holds the memory of what it was given. */
function pieceOf(data: Uint8Array, fromBytes: number, toBytes: number): Uint8Array {
  const piece = data.subarray(fromBytes, toBytes)
  return data.length <= PIECE_BYTES ? piece : copyOf(piece)
}

/** `Buffer.slice` would not copy. */
function copyOf(data: Uint8Array): Uint8Array {
  return new Uint8Array(data)
}

/** Bytes whose memory is not a part of a larger one, which would stay in memory with them. */
function owned(data: Uint8Array): Uint8Array {
  return data.buffer.byteLength - data.length > data.length / 8 ? copyOf(data) : data
}
