import { isDerived, isMadeSince, isReplacement, stemOf, WINDOW_MS } from '../../core/guard/net-loss.ts'
import { parentOf } from '../../core/paths.ts'
import { hashKey } from '../../core/records/block-diff.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { LossWindow } from './loss-window.ts'

export type LossKind = 'deleted' | 'emptied'
/** `beside`: a directory, a symlink or an empty file. It is held with the others, and counts as no loss. */
export type GoingItem = LossKind | 'beside'

/** Of files with the same content; one that stays is enough. */
const COPIES_MAX = 10
/** Of files whose names have the same beginning. */
const NEIGHBOURS_MAX = 8

export interface ReviewDeps {
  readonly records: Pick<Records, 'head' | 'localByBlocks' | 'page'>
  readonly window: LossWindow
  readonly nowMs: number
  /** The user has decided on the loss of this name. */
  isApproved(name: string): boolean
  /** Contents show nothing: a new file of the same size is the renamed one. */
  readonly isEncrypted: boolean
  conclude(outcome: ReviewOutcome): Promise<ReadonlySet<string>>
}

export interface ReviewOutcome {
  /** What counts as lost, with what became of it. */
  readonly lost: ReadonlyMap<string, LossKind>
  /** Contents of these, for the window. */
  readonly contents: readonly string[]
  readonly beside: readonly string[]
  readonly excused: number
  /** The new names of files that were replaced by one of another extension. */
  readonly replaced: readonly string[]
  /** Before anything of it was recorded or applied. */
  readonly beganMs: number
  /** The author of most of it, where other devices are. */
  readonly author: bigint | undefined
}

type Arrival = Pick<FileHead, 'name' | 'sizeBytes' | 'blocksHash'>

/** What goes in one scan or one pull: which of it is a loss, and whether it is held. */
export class LossReview {
  readonly #deps: ReviewDeps
  readonly #going = new Map<string, GoingItem>()
  readonly #authors = new Map<bigint, number>()
  readonly #contents = new Set<string>()
  readonly #stems = new Map<string, Arrival>()
  readonly #sizes = new Map<number, number>()
  #excused = 0

  constructor(deps: ReviewDeps) {
    this.#deps = deps
  }

  /** An item of ours that goes, or a file that becomes empty; `author`: who did that. */
  examine(local: FileHead, kind: LossKind, author?: bigint): void {
    const { nowMs, window } = this.#deps
    const { localFlags, name, sizeBytes, type, version } = local
    if (this.#deps.isApproved(name)) return
    if (type !== 'file' || sizeBytes === 0 || isInvalid({ localFlags })) {
      this.#going.set(name, 'beside')
      return
    }
    const isYoung = window.isMade(name, nowMs) && isMadeSince(version, nowMs - WINDOW_MS)
    if (isYoung || isDerived(name)) {
      this.#excused++
      return
    }
    this.#going.set(name, kind)
    if (author !== undefined) this.#authors.set(author, (this.#authors.get(author) ?? 0) + 1)
  }

  /** Content that will be here; `isNew`: under a name that had none. */
  arrives({ name, sizeBytes, blocksHash }: Arrival, isNew: boolean): void {
    if (sizeBytes === 0) return
    if (blocksHash !== undefined) this.#contents.add(hashKey(blocksHash))
    if (!isNew) return
    this.#stems.set(stemOf(name), { name, sizeBytes, blocksHash })
    if (this.#deps.isEncrypted) this.#sizes.set(sizeBytes, (this.#sizes.get(sizeBytes) ?? 0) + 1)
  }

  /** A file whose name and content are new here; not one that was lost and is back. */
  noteNew({ blocksHash, name }: FileHead): void {
    const { nowMs, window } = this.#deps
    if (blocksHash === undefined || !window.hasLost(hashKey(blocksHash))) window.make(name, nowMs)
  }

  /** Whether a loss is left that could be held, whatever else arrives. */
  get hasLosses(): boolean {
    for (const kind of this.#going.values()) if (kind !== 'beside') return true
    return false
  }

  /** The names of what is held: it is neither recorded nor applied. */
  async decide(): Promise<ReadonlySet<string>> {
    const lost = new Map<string, LossKind>()
    const contents: string[] = []
    const beside: string[] = []
    const replaced: string[] = []
    for (const [name, kind] of this.#going) {
      if (kind === 'beside') {
        beside.push(name)
        continue
      }
      const head = await this.#deps.records.head('local', name)
      if (head === undefined) continue
      const next = (await this.#isElsewhere(head)) ? '' : await this.#replacementOf(head)
      if (next === undefined) {
        lost.set(name, kind)
        if (head.blocksHash !== undefined) contents.push(hashKey(head.blocksHash))
      } else {
        this.#excused++
        if (next !== '') replaced.push(next)
      }
    }
    const author = [...this.#authors].sort(([, a], [, b]) => b - a)[0]?.[0]
    const { conclude, nowMs: beganMs } = this.#deps
    return await conclude({ lost, contents, beside, excused: this.#excused, replaced, beganMs, author })
  }

  /** Whether the content stays here, or will be here, under another name. */
  async #isElsewhere({ name, sizeBytes, blocksHash }: FileHead): Promise<boolean> {
    const expected = this.#sizes.get(sizeBytes) ?? 0
    if (expected > 0) {
      this.#sizes.set(sizeBytes, expected - 1)
      return true
    }
    if (blocksHash === undefined) return false
    if (this.#contents.has(hashKey(blocksHash))) return true
    const copies = await this.#deps.records.localByBlocks(blocksHash, COPIES_MAX)
    return copies.some((copy) => copy.name !== name && !copy.deleted && !this.#going.has(copy.name))
  }

  /** The name of a new file in the place of this one, with another extension. */
  async #replacementOf(head: FileHead): Promise<string | undefined> {
    const stem = stemOf(head.name)
    const arriving = this.#stems.get(stem)
    if (arriving !== undefined && isReplacement(head, arriving)) return arriving.name
    const { nowMs, records, window } = this.#deps
    const options = { within: parentOf(head.name), afterName: stem, limit: NEIGHBOURS_MAX }
    const found = (await records.page('local', options)).find(
      (other) =>
        other.type === 'file' &&
        !other.deleted &&
        !this.#going.has(other.name) &&
        isReplacement(head, other) &&
        window.isMade(other.name, nowMs),
    )
    return found?.name
  }
}
