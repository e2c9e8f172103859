import { isMissing } from '../../core/errors.ts'
import { baseOf, foldName, parentOf } from '../../core/paths.ts'
import { isChanged, type CompareOptions, type DiskItem } from '../../core/records/change.ts'
import { hasOtherStamp } from '../../core/records/disk-stamp.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { TreeDisk } from './tree-disk.ts'

const MODIFIED = 'file modified but not rescanned; will try again later'

/** The item was changed since it was last checked or scanned. */
export function modified(step?: string, cause?: unknown): Error {
  return itemFailed(step === undefined ? MODIFIED : `${step}: ${MODIFIED}`, { cause, detail: 'modified' })
}

export interface ItemCheckOptions {
  readonly compare: CompareOptions
  readonly caseSensitiveFS: boolean
}

/** Compares items on disk with our records: only an item that matches may be replaced. */
export class ItemCheck {
  readonly #tree: TreeDisk
  readonly #options: ItemCheckOptions

  constructor(tree: TreeDisk, options: ItemCheckOptions) {
    this.#tree = tree
    this.#options = options
  }

  /** Whether the disk matches our record. */
  matches(item: DiskItem | 'other' | undefined, local: FileHead | undefined): boolean {
    if (local === undefined || local.deleted) return item === undefined
    return item !== undefined && item !== 'other' && !isChanged(local, item, this.#options.compare)
  }

  /** The same, and the file was not touched since; only under its recorded name, as a rename changes its stamp. */
  isUntouched(item: DiskItem | 'other' | undefined, local: FileHead | undefined): boolean {
    if (!this.matches(item, local)) return false
    return item === undefined || item === 'other' || item.type !== 'file' || !hasOtherStamp(local?.diskStamp, item)
  }

  /** Rejects, and schedules a scan, unless the disk matches our record. */
  async require(name: string, local: FileHead | undefined): Promise<DiskItem | undefined> {
    const item = await this.#tree.stat(name)
    if (this.isUntouched(item, local) && item !== 'other') return item
    this.#tree.scanLater(name)
    if (item === undefined) throw modified()
    const other = await this.#otherSpelling(name)
    if (other !== undefined) throw itemFailed(caseConflict(baseOf(name), other))
    const reason = await this.#obstacleReason(name, item, local)
    throw reason === undefined ? modified() : itemFailed(reason)
  }

  /**
   * Rejects where something is in the place of the item that no scan can record: then a transfer would be in vain, and
   * would leave a temporary file.
   */
  async refuseObstacle(name: string, local: FileHead | undefined): Promise<void> {
    const item = await this.#tree.stat(name)
    const reason = item === undefined ? undefined : await this.#obstacleReason(name, item, local)
    if (reason !== undefined) throw itemFailed(reason)
  }

  async #obstacleReason(
    name: string,
    item: DiskItem | 'other',
    local: FileHead | undefined,
  ): Promise<string | undefined> {
    if (item === 'other') return 'a device, pipe or socket is in the place of the item'
    if (item.type !== 'file' || this.matches(item, local)) return undefined
    try {
      const file = await this.#tree.disk.open(this.#tree.path(name), 'read')
      await file.close()
      return undefined
    } catch (error) {
      return isMissing(error) ? undefined : `an unreadable file is in the place of the item: ${diskReason(error)}`
    }
  }

  /** Whether the disk has this item under another spelling only. */
  async hasOtherSpelling(name: string): Promise<boolean> {
    return (await this.#otherSpelling(name)) !== undefined
  }

  /** The name of the item that the disk has for another spelling of it; undefined where it has this name. */
  async #otherSpelling(name: string): Promise<string | undefined> {
    if (this.#options.caseSensitiveFS) return undefined
    const entries = await this.#tree.disk.list(this.#tree.path(parentOf(name)))
    const base = baseOf(name)
    if (entries.some((entry) => entry.name === base)) return undefined
    const folded = foldName(base)
    return entries.find((entry) => foldName(entry.name) === folded)?.name
  }
}

function caseConflict(remote: string, local: string): string {
  const names = `remote ${JSON.stringify(remote)} uses different upper or lowercase characters than local`
  return `${names} ${JSON.stringify(local)}; change the casing on either side to match the other`
}
