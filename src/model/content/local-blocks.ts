import { portionsOf, placesIn } from '../../core/records/block-copies.ts'
import { blocksInPlace, type Block } from '../../core/records/block-diff.ts'
import { joinPath } from '../../core/paths.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { FileMaker } from '../../platform/file-maker.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'
import type { Disk, DiskFile } from '../../platform/disk.ts'
import type { Records } from '../../db/types.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { FolderTree } from '../tree/folder-tree.ts'
import type { BlockedFile, TempFile } from './temp-file.ts'

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

/** Another folder whose files may contain needed blocks. */
export interface OtherFolder {
  readonly root: string
  readonly records: Pick<Records, 'localByBlocks' | 'localWithBlocks'>
}

export interface LocalBlocksDeps extends OtherFolder {
  readonly tree: Pick<FolderTree, 'matches' | 'openToRead'>
  readonly disk: Pick<Disk, 'open'>
  readonly fileMaker: FileMaker
  otherFolders(): Promise<readonly OtherFolder[]>
}

/** State of one file being filled. */
export interface Filling extends Omit<BlockedFile, 'blocks'> {
  readonly temp: TempFile
  readonly progress: PullProgress
  readonly signal: AbortSignal
  missing: readonly Block[]
}

interface CopySource {
  readonly from: 'origin' | 'elsewhere'
  open(): Promise<DiskFile>
  /** The expected offset of the block. */
  place(block: Block): number | undefined
}

/** The blocks in files on this machine. */
export class LocalBlocks {
  readonly #deps: LocalBlocksDeps

  constructor(deps: LocalBlocksDeps) {
    this.#deps = deps
  }

  /**
   * Fills the temporary file with blocks from local files: from the old version of the file, from files with identical
   * content, then from any file with some of the blocks, of this folder and of those that all devices of this one may
   * read. Blocks are verified by hash.
   */
  async copyVerified(filling: Filling): Promise<void> {
    const { global, local } = filling
    if (local !== undefined && !local.deleted && local.type === 'file') {
      const open = () => this.#deps.tree.openToRead(global.name)
      await this.#copyFrom({ open, place: placesIn(local), from: 'origin' }, filling)
    }
    if (filling.missing.length === 0 || global.sizeBytes < LOOKUP_SIZE_BYTES_MIN) return
    const folders = [this.#deps, ...(await this.#deps.otherFolders())]
    for (const folder of folders) await this.#copyFromIdentical(folder, filling)
    // A file of one block can only match as a whole.
    if (global.sizeBytes <= global.blockSizeBytes) return
    for (const folder of folders) await this.#copyFromHolders(folder, filling)
  }

  /** Copies the blocks that are the same in the old version, which has to be as recorded. They cannot be verified. */
  async copyUnchanged(filling: Filling): Promise<void> {
    const { global, local, missing, progress, temp } = filling
    const { tree } = this.#deps
    if (local?.blockHashes === undefined || local.encrypted === undefined) return
    if (local.blockSizeBytes !== global.blockSizeBytes) return
    const numbers = blocksInPlace(missing, local.blockHashes)
    if (numbers.size === 0 || !(await tree.matches(global.name, local))) return
    const same = missing.filter(({ number }) => numbers.has(number))
    await using old = await tree.openToRead(global.name)
    const buffer = Buffer.alloc(global.blockSizeBytes)
    for (const { sizeBytes, offsetBytes } of same) {
      const data = buffer.subarray(0, sizeBytes)
      if ((await fillBuffer(old, data, offsetBytes)) < sizeBytes) return
      await temp.file.write(data, offsetBytes)
      temp.wrote(sizeBytes)
    }
    if (!(await tree.matches(global.name, local))) return
    for (const block of same) progress.copied(block, 'origin')
    filling.missing = missing.filter(({ number }) => !numbers.has(number))
  }

  /** From files with identical content. */
  async #copyFromIdentical(folder: OtherFolder, filling: Filling): Promise<void> {
    const { blocksHash, sizeBytes } = filling.global
    if (filling.missing.length === 0 || blocksHash === undefined) return
    for (const identical of await folder.records.localByBlocks(blocksHash, IDENTICAL_FILES_MAX)) {
      if (identical.sizeBytes !== sizeBytes) continue
      const place = (block: Block) => block.offsetBytes
      await this.#copyFrom({ open: () => this.#open(folder, identical.name), place, from: 'elsewhere' }, filling)
    }
  }

  /** From files with some of the blocks. When a file does not match its record, further candidates are queried. */
  async #copyFromHolders(folder: OtherFolder, filling: Filling): Promise<void> {
    const tried = new Set<string>()
    for (let mismatched = true; mismatched && tried.size < HOLDERS_MAX;) {
      mismatched = false
      if (filling.missing.length === 0) return
      const hashes = filling.missing.map(({ hash }) => hash)
      const limit = HOLDERS_MAX - tried.size
      for (const holder of await folder.records.localWithBlocks(hashes, { except: tried, limit })) {
        tried.add(holder.name)
        const place = placesIn(holder)
        await this.#copyFrom({ open: () => this.#open(folder, holder.name), place, from: 'elsewhere' }, filling)
        mismatched ||= filling.missing.some((block) => place(block) !== undefined)
      }
    }
  }

  #open(folder: OtherFolder, name: string): Promise<DiskFile> {
    const { disk, tree } = this.#deps
    return folder === this.#deps ? tree.openToRead(name) : disk.open(joinPath(folder.root, name), 'read')
  }

  /** Blocks that could not be copied stay missing. Unreadable files are skipped. */
  async #copyFrom({ open, place, from }: CopySource, filling: Filling): Promise<void> {
    const { missing, temp, progress, signal } = filling
    if (!missing.some((block) => place(block) !== undefined)) return
    const source = await open().catch(() => undefined) // fetched instead
    if (source === undefined) return
    await using _source = source
    const copied = new Set<Block>()
    const atOnce = Math.min(PORTIONS_AT_ONCE, AT_ONCE_BYTES_MAX / filling.global.blockSizeBytes)
    await forEachAtOnce(portionsOf(missing, place, PORTION_BYTES), atOnce, async (portion) => {
      signal.throwIfAborted()
      const found = await this.#deps.fileMaker.copy(source, temp.file, portion)
      portion.forEach(({ block, sizeBytes }, at) => {
        if (found[at] !== true) return
        copied.add(block)
        temp.wrote(sizeBytes)
        progress.copied(block, from)
      })
    })
    filling.missing = missing.filter((block) => !copied.has(block))
  }
}
