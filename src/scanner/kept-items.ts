import { recordOf, type CompareOptions, type DiskItem } from '../core/records/change.ts'
import { ancestorsOf } from '../core/paths.ts'
import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import { acceptedDeletion, keptState } from '../core/records/kept-file.ts'
import type { ScannedItem } from './attributes.ts'
import type { RecordRules } from './record-rules.ts'
import type { KeptList } from './types.ts'

export interface KeptItemsDeps {
  readonly list: KeptList
  readonly rules: RecordRules
  add(record: FileInfo): void
}

/** What becomes of an item: it is passed over, its content is compared, or it is recorded like any other. */
export type KeptVerdict = 'passed' | 'compare' | 'record'

/**
 * Kept files and the directories above them in one scan: they are on the disk, their records are deletions, and nothing
 * is announced. A directory is announced after all when something below it is.
 */
export class KeptItems {
  readonly #deps: KeptItemsDeps
  readonly #seen = new Set<string>()
  /** Directories that were passed over, by name. */
  readonly #passed = new Map<string, { readonly item: ScannedItem; readonly record: FileHead | undefined }>()

  constructor(deps: KeptItemsDeps) {
    this.#deps = deps
  }

  /** For an item without a live record. */
  judge(item: ScannedItem, record: FileHead | undefined): KeptVerdict {
    const { list } = this.#deps
    if (list.count === 0) return 'record'
    if (item.type === 'directory') {
      if (!list.hasBelow(item.name)) return 'record'
      this.#passed.set(item.name, { item, record })
      return 'passed'
    }
    const kept = list.find(item.name)
    if (kept === undefined) return 'record'
    this.#seen.add(item.name)
    const state = keptState(kept, item, this.#compare)
    if (state === 'edited') return 'record'
    return state === 'same' ? 'passed' : 'compare'
  }

  /** The record on which the next version of an item is based: a kept file stays above its deletion. */
  baseOf(name: string, record: FileHead | undefined): FileHead | undefined {
    const kept = record === undefined && this.#deps.list.count > 0 ? this.#deps.list.find(name) : undefined
    return kept === undefined ? record : acceptedDeletion(kept)
  }

  /** The content of a kept file was compared: true where it is the same, with another stamp. */
  confirm(item: DiskItem, blocksHash: Uint8Array, diskStamp: number | undefined): boolean {
    const { list } = this.#deps
    const kept = list.find(item.name)
    if (kept?.file.blocksHash === undefined || keptState(kept, item, this.#compare) === 'edited') return false
    if (Buffer.compare(kept.file.blocksHash, blocksHash) !== 0) return false
    list.set({ ...kept, file: { ...kept.file, diskStamp } })
    return true
  }

  /** An item has a live record: it is not kept, whatever a crash has left in the list. */
  noteLive(name: string): void {
    if (this.#deps.list.count > 0) this.#deps.list.forget(name)
    this.announceAbove(name)
  }

  /** An item is recorded or has a live record: so have the directories above it. */
  announceAbove(name: string): void {
    if (this.#passed.size === 0) return
    for (const directory of ancestorsOf(name)) {
      const passed = this.#passed.get(directory)
      if (passed === undefined) continue
      this.#passed.delete(directory)
      this.#deps.add(recordOf(passed.item, passed.record, undefined, this.#deps.rules.record))
    }
  }

  /** At the end of the walks: forgets the files that were removed by the user. */
  async forgetGone(subs: readonly string[], isGone: (name: string) => Promise<boolean>): Promise<void> {
    const { list } = this.#deps
    if (list.count === 0) return
    const unseen = subs.flatMap((sub) => [...list.within(sub)]).filter((name) => !this.#seen.has(name))
    for (const name of new Set(unseen)) if (await isGone(name)) list.forget(name)
  }

  get #compare(): CompareOptions {
    return this.#deps.rules.compare
  }
}
