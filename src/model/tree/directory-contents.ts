import { FLAG_RECEIVE_ONLY, type FileHead } from '../../core/records/file-info.ts'
import { isTemporary, parseAside } from '../../core/paths.ts'
import type { DiskItem } from '../../core/records/change.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { Records } from '../../db/types.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { ItemCheck } from './item-check.ts'
import type { TreeDisk } from './tree-disk.ts'

/**
 * Limit of deletable items below a deleted directory, far above normal use of `(?d)`; beyond it the user must decide.
 */
const DELETABLE_MAX = 100_000

interface Reasons {
  readonly changed: string
  readonly ignored: string
  readonly known: string
}

const DELETED = 'delete dir: directory has been deleted on a remote device but'
const REPLACED = 'replace dir: directory has been replaced on a remote device but'

const REASONS: Readonly<Record<'deleted' | 'replaced', Reasons>> = {
  deleted: {
    changed: `${DELETED} contains changed files, scheduling scan`,
    ignored: `${DELETED} contains ignored files (see ignore documentation for (?d) prefix)`,
    known: `${DELETED} is not empty; the contents are probably ignored on that remote device, but not locally`,
  },
  replaced: {
    changed: `${REPLACED} contains changed files, scheduling scan`,
    ignored: `${REPLACED} contains ignored files (see ignore documentation for (?d) prefix)`,
    known: `${REPLACED} contains items that device does not have yet; it will rename its item to a conflict copy`,
  },
}

export interface DirectoryContentsDeps {
  readonly tree: TreeDisk
  readonly check: ItemCheck
  readonly ignore: IgnoreRules
  readonly index: Pick<Records, 'get'>
  /** Files that other devices have deleted and that stay here. */
  readonly kept?:
    | { find(name: string): { readonly file: FileHead } | undefined; hasBelow(directory: string): boolean }
    | undefined
}

/** Classifies the contents of a directory that was deleted or replaced on another device. */
export class DirectoryContents {
  readonly #deps: DirectoryContentsDeps
  /** Parents before children. */
  readonly deletable: { readonly path: string; readonly isDirectory: boolean }[] = []
  /** It contains local changes of a receive-only folder. */
  receiveOnly = false
  /** It contains files that other devices have deleted and that stay here. */
  hasKept = false
  #changed = false
  #ignored = false
  #known = false

  constructor(deps: DirectoryContentsDeps) {
    this.#deps = deps
  }

  async collect(directory: string): Promise<void> {
    const { tree } = this.#deps
    for (const entry of await tree.disk.list(tree.path(directory))) {
      if (entry.valid) await this.#classify(`${directory}/${entry.name}`)
      else this.#changed = true
    }
  }

  /** Rejects with the most severe reason. */
  refuse(by: keyof typeof REASONS): void {
    const reasons = REASONS[by]
    if (this.#changed) throw itemFailed(reasons.changed)
    if (this.#ignored) throw itemFailed(reasons.ignored)
    if (this.#known && (by === 'replaced' || !this.receiveOnly)) throw itemFailed(reasons.known)
  }

  async #classify(path: string): Promise<void> {
    const { tree, check, ignore, index } = this.#deps
    const item = await tree.stat(path)
    if (item === undefined) return
    const isDirectory = item !== 'other' && item.type === 'directory'
    if (!isDirectory && parseAside(path) !== undefined) return this.#mustScan(path)
    const match = ignore.match(path)
    if (match.deletable || (isTemporary(path) && !isDirectory)) {
      if (this.deletable.length >= DELETABLE_MAX) this.#ignored = true
      else this.deletable.push({ path, isDirectory })
      if (isDirectory) await this.collect(path)
      return
    }
    if (match.ignored || item === 'other') {
      this.#ignored = true
      return
    }
    const record = await index.get('local', path)
    if ((record === undefined || record.deleted) && this.#isKept(path, item)) this.hasKept = true
    else if (record !== undefined && (record.localFlags & FLAG_RECEIVE_ONLY) !== 0) this.receiveOnly = true
    else if (record === undefined || !check.matches(item, record)) this.#mustScan(path)
    else this.#known = true
  }

  #isKept(path: string, item: DiskItem): boolean {
    const { check, kept } = this.#deps
    if (item.type === 'directory') return kept?.hasBelow(path) === true
    const file = kept?.find(path)?.file
    return file !== undefined && check.matches(item, file)
  }

  #mustScan(path: string): void {
    this.#deps.tree.scanLater(path)
    this.#changed = true
  }
}
