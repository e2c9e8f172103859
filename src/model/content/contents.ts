import { detailOf } from '../../core/errors.ts'
import { holdsBlock } from '../../core/records/block-copies.ts'
import { blockAt, blocksOf, type Block } from '../../core/records/block-diff.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { shareBlocks, type FolderShare } from '../../core/records/pull-order.ts'
import type { Logger } from '../../events/types.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { Platform } from '../../platform/platform.ts'
import { PullProgress, type ByteSource } from '../state/file-progress.ts'
import { noSource, type BlockSource, type Sources } from '../state/sources.ts'
import type { MemoryContent } from '../tree/content.ts'
import type { FolderTree, FolderTreeOptions } from '../tree/folder-tree.ts'
import { BlockBuffers } from './block-buffers.ts'
import { BlockFetch, requestBlock, type BlockReply } from './block-fetch.ts'
import type { BlockOrder } from './block-order.ts'
import { formatOf, plainFormat, trailerOf, type FileFormat } from './format.ts'
import { LocalBlocks, type LocalBlocksDeps } from './local-blocks.ts'
import { RequestWindow } from '../../sync/request-window.ts'
import { TempFiles, type BlockedFile, type TempFile } from './temp-file.ts'

const WINDOW_KIB_DEFAULT = 32_768
const WINDOW_KIB_MIN = 16_384

export interface ContentsDeps {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk' | 'hasher' | 'fileMaker'>
  readonly tree: FolderTree
  readonly index: Pick<LocalBlocksDeps, 'records'>
  readonly sources: Sources
  readonly log: Logger
  otherFolders: LocalBlocksDeps['otherFolders']
  /** Content has arrived; called with its source. */
  readonly onArrived?: ((source: ByteSource, sizeBytes: number) => void) | undefined
}

export interface WantedFile {
  readonly global: FileInfo
  /** Our record of the file that it replaces. */
  readonly local: FileInfo | undefined
  /** False where `FolderTree.put` has not taken it from there. */
  readonly mayUseMemory: boolean
  onBegun(progress: PullProgress): void
  /** All blocks are requested: the next file may begin. */
  onAllRequested(): void
}

/** Content in memory, which is reused after disposal. */
interface ObtainedMemory extends MemoryContent, AsyncDisposable {
  /** Counts the content as arrived: not before, because content that cannot be put is obtained again. */
  onPut(): void
  discard(): Promise<void>
}

export type Obtained = ObtainedMemory | TempFile

export type { BlockReply }

/** Content that was requested. */
export interface RequestedContent {
  readonly reply: Promise<BlockReply>
  /** The part of the window that it takes. */
  readonly room: Disposable
}

/** What the steps of obtaining one file share. */
interface Obtaining extends BlockedFile {
  readonly format: FileFormat
  readonly progress: PullProgress
  readonly fetch: BlockFetch
}

/** The contents of a folder's files, obtained from local files and from other devices. */
export class Contents {
  readonly #deps: ContentsDeps
  readonly #options: FolderTreeOptions
  readonly #window: RequestWindow
  readonly #buffers: BlockBuffers
  readonly #temps: TempFiles
  readonly #plain: FileFormat
  readonly #local: LocalBlocks

  constructor(deps: ContentsDeps, options: FolderTreeOptions) {
    const { platform, tree, index, log } = deps
    const { folder, root } = options
    const { clock, disk, fileMaker, hasher } = platform
    const { pullerMaxPendingKiB } = folder
    const windowKiB = pullerMaxPendingKiB > 0 ? Math.max(pullerMaxPendingKiB, WINDOW_KIB_MIN) : WINDOW_KIB_DEFAULT
    const windowBytes = windowKiB * 1_024
    this.#deps = deps
    this.#options = options
    this.#window = new RequestWindow(windowBytes, clock)
    this.#buffers = new BlockBuffers(windowBytes, (sizeBytes) => fileMaker.memory(sizeBytes))
    this.#plain = plainFormat(fileMaker)
    this.#temps = new TempFiles({ tree, hasher, log, folder })
    this.#local = new LocalBlocks({
      root,
      records: index.records,
      tree,
      disk,
      fileMaker,
      otherFolders: () => deps.otherFolders(),
    })
  }

  /** For dividing files among the devices that need them. */
  get share(): FolderShare {
    const { folder, ownDevice } = this.#options
    return { own: ownDevice, devices: folder.devices.map(({ deviceID }) => deviceID) }
  }

  /** The only block of a new file that can be requested by `requestNow`. */
  onlyBlockOf(global: FileInfo): Block | undefined {
    if (formatOf(global, this.#plain) !== this.#plain || !this.#deps.tree.takesMemory(global)) return undefined
    if (global.sizeBytes === 0 || global.sizeBytes > this.#plain.memorySizeBytesMax) return undefined
    return global.sizeBytes > global.blockSizeBytes ? undefined : blockAt(global, 0)
  }

  /**
   * Requests it, without waiting for anything before; undefined where that is not possible. The data is not verified.
   * The caller releases what it receives, and then the room.
   */
  requestNow(name: string, block: Block, device: DeviceId, signal: AbortSignal): RequestedContent | undefined {
    const room = this.#window.tryAcquire(block.sizeBytes)
    if (room === undefined) return undefined
    const { sources } = this.#deps
    const shared = { folder: this.#options.folder.id, sources, buffers: this.#buffers }
    const reply = requestBlock(shared, { name, block, source: { device, fromTemporary: false } }, signal)
    return { reply, room }
  }

  /** The progress of a file with these blocks. */
  progressOf(global: FileInfo, blocks: readonly Block[]): PullProgress {
    return new PullProgress(global, blocks, this.#deps.onArrived)
  }

  /** The complete content of a file. The caller disposes of it. */
  async obtain(file: WantedFile, signal: AbortSignal): Promise<Obtained> {
    const { platform, sources, tree } = this.#deps
    const { global, local, onAllRequested } = file
    const blocks = blocksOf(global)
    if (blocks === undefined) throw itemFailed('the record of this file has no usable block list')
    const { id } = this.#options.folder
    const found = await sources.sourcesOf(id, global, 0)
    if (found.length === 0) throw noSource()
    await tree.checkReplaceable(global.name, local)
    const format = formatOf(global, this.#plain)
    // Directories of an encrypted folder are no items, and most of them are missing.
    if (!format.isVerifiable) await tree.makeParents(global.name)
    const progress = this.progressOf(global, blocks)
    const { clock } = platform
    const shared = { folder: id, sources, window: this.#window, buffers: this.#buffers, log: this.#deps.log, clock }
    const fetch = new BlockFetch(shared, { global, format, progress, onAllRequested })
    const obtaining = { global, local, blocks, format, progress, fetch }
    const block = file.mayUseMemory && tree.takesMemory(global) ? blockForMemory(obtaining) : undefined
    if (block === undefined) return await this.#obtainInFile(obtaining, file, signal)
    file.onBegun(progress)
    // Of several devices the soonest is chosen when the window has room.
    return await obtainInMemory(obtaining, block, signal, found.length === 1 ? found[0] : undefined)
  }

  async #obtainInFile(obtaining: Obtaining, file: WantedFile, signal: AbortSignal): Promise<TempFile> {
    const { format, global, progress } = obtaining
    const { temporaries } = this.#deps.tree
    await this.#deps.tree.prepare(global.name, file.local)
    const open = format.isVerifiable ? this.#temps.open(obtaining, signal) : this.#temps.openFresh(global)
    const temp = await open.catch(async (error: unknown) => {
      if (!signal.aborted) await temporaries.removeIfThere(global.name).catch(() => {})
      throw error
    })
    file.onBegun(progress)
    try {
      await this.#fill(temp, obtaining, signal)
      return temp
    } catch (error) {
      if (!signal.aborted) await abandon(temp, global, error)
      await temp.close()
      throw error
    }
  }

  async #fill(temp: TempFile, obtaining: Obtaining, signal: AbortSignal): Promise<void> {
    const { blocks, fetch, format, global, local, progress } = obtaining
    const missing: Block[] = []
    for (const block of blocks) {
      const isPresent = temp.present.has(block.number)
      const isHole = format.isVerifiable && this.#temps.hasHole(temp, block, global)
      if (isPresent && temp.copied) progress.copied(block, 'origin')
      else if (isPresent || block.sizeBytes === 0 || isHole) progress.reused(block)
      else missing.push(block)
    }
    const filling = { global, local, temp, progress, signal, missing }
    await (format.isVerifiable ? this.#local.copyVerified(filling) : this.#local.copyUnchanged(filling))
    await fetch.toFile(temp, await this.#inOrder(filling.missing, obtaining), signal)
    const trailer = trailerOf(global)
    if (trailer !== undefined) await temp.file.write(trailer, global.sizeBytes)
    temp.trailerBytes = trailer?.length
    // Syncing a large file takes long, so it is done before the lock is taken, which would block scans.
    if (!this.#options.folder.disableFsync && global.sizeBytes > global.blockSizeBytes) await temp.file.sync()
  }

  /** Each device that lacks the file begins at a different part of it. */
  async #inOrder(rest: readonly Block[], { blocks, global }: Obtaining): Promise<BlockOrder> {
    const { folder } = this.#options
    const holders = await this.#deps.sources.sourcesOf(folder.id, global, 0)
    const complete = new Set<string>(holders.filter((each) => !each.fromTemporary).map(({ device }) => device))
    const { own: ownDevice, devices } = this.share
    const lacking = devices.filter((device) => !complete.has(device)).sort()
    const chance = (below: number) => this.#deps.platform.random.int(below)
    const numbers = rest.map(({ number }) => number)
    const share = { own: Math.max(0, lacking.indexOf(ownDevice)), count: lacking.length }
    const { first, others } = shareBlocks(numbers, folder.blockPullOrder, share, chance)
    return { first: first.map((number) => blocks[number]!), others: others.map((number) => blocks[number]!) }
  }
}

/** Discards content that could not be put, unless a retry continues with the blocks of its temporary file. */
export async function abandon(content: Obtained, global: FileInfo, error: unknown): Promise<void> {
  const detail = detailOf(error)
  const isResumable = global.encrypted === undefined && (detail === 'unserved' || detail === 'modified')
  // One block is fetched again at less cost than the temporary file has for users.
  if (!isResumable || global.sizeBytes <= global.blockSizeBytes) await content.discard()
}

/** New files are verified when they are put: nothing else is done with their content before. */
async function obtainInMemory(
  { fetch, format, global, local, progress }: Obtaining,
  block: Block,
  signal: AbortSignal,
  first: BlockSource | undefined,
): Promise<ObtainedMemory> {
  const isVerifiedLater = format.isVerifiable && local === undefined
  const received = await fetch.toMemory(block, signal, { first, verify: !isVerifiedLater })
  const trailer = trailerOf(global)
  return {
    kind: 'memory',
    data: trailer === undefined ? received.data : Buffer.concat([received.data, trailer]),
    hash: isVerifiedLater ? block.hash : undefined,
    trailerBytes: trailer?.length,
    onPut: () => progress.fetched(block),
    discard: async () => {},
    [Symbol.asyncDispose]: async () => received[Symbol.dispose](),
  }
}

/** The only block of a file that is obtained in memory: its content is not on this machine. */
function blockForMemory({ blocks, format, global, local }: Obtaining): Block | undefined {
  const [block, second] = blocks
  if (block === undefined || second !== undefined || block.sizeBytes === 0) return undefined
  return global.sizeBytes > format.memorySizeBytesMax || holdsBlock(local, block) ? undefined : block
}
