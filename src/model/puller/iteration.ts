import type { FileHead } from '../../core/records/file-info.ts'
import type { Step } from '../../core/records/plan.ts'
import { isCanonical, isReserved } from '../../core/paths.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { LossReview } from '../state/loss-review.ts'
import type { Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import { contentKey, PullList } from './pull-list.ts'
import type { PullParts } from './pull-parts.ts'
import type { Transfers } from './transfers.ts'

/** So many are read and sorted in one turn of the event loop, which takes a few milliseconds. */
const PAGE = 500
/** Limit of items per iteration; the rest is left to the next one. Bounds memory when a million files are needed. */
const ITEMS_MAX = 100_000
const SMALL_STEPS_AT_ONCE = 8

export interface IterationDeps extends Pick<PullParts, 'clock' | 'index' | 'records' | 'tree'> {
  readonly items: Items
  readonly transfers: Transfers
  readonly leftovers: Leftovers
  readonly guard: Pick<FolderGuard, 'begin'>
}

export interface IterationResult {
  /** More items were needed than the limit. */
  readonly more: boolean
  /** Files were skipped because no device is connected. */
  readonly waiting: boolean
}

/** One pass over all needed items, with one attempt at each. */
export class Iteration {
  readonly #deps: IterationDeps
  readonly #signal: AbortSignal
  readonly #files = new PullList()
  readonly #metadata: string[] = []
  /** Items created without a transfer, by depth: parent directories first. */
  readonly #creations: string[][] = []
  /** Deleted files and symlinks. They are removed last, because they may be sources of moves. */
  readonly #removals = new Set<string>()
  #directoryRemovals: string[] = []
  /** Removed files by the key of their content. */
  readonly #movable = new Map<number, string[]>()
  /** Deleted files, and the names under which their content is needed. */
  readonly #renamed = new Map<string, string>()
  /** The last needed name that was read. */
  #afterName = ''

  constructor(deps: IterationDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  async run(): Promise<IterationResult> {
    const { items, leftovers, records, transfers } = this.#deps
    const review = await this.#deps.guard.begin('remote')
    const more = await this.#collect(review)
    if (review !== undefined) await this.#withhold(review, more)
    for (const names of this.#creations) await this.#attemptAll(names)
    await this.#attemptAll(this.#metadata)
    await this.#moveFiles()
    const stored = records.flush()
    stored.catch(() => {}) // awaited below
    const waiting = await transfers.run(this.#files)
    await stored
    if (this.#renamed.size > 0) await records.flush() // the index must contain a file before its old name is removed
    await this.#attemptAll([...this.#removals])
    await records.flush() // the index must contain the deletions before directories are checked
    for (const name of this.#directoryRemovals.reverse()) await items.attempt(name, () => items.act(name))
    await records.flush()
    await leftovers.sweep((name) => items.removeLeftover(name))
    return { more, waiting }
  }

  /**
   * Assigns needed items to phases; true when there are more than the limit. Read before anything changes, because
   * paging over a shrinking need list would skip items. Only names are kept: their records take much more memory.
   */
  async #collect(review: LossReview | undefined): Promise<boolean> {
    let afterName = ''
    for (let count = 0; ;) {
      this.#signal.throwIfAborted()
      const page = await this.#deps.index.needs.need({ offset: 0, limit: PAGE, afterName })
      const locals = await this.#deps.index.records.heads(
        'local',
        page.map(({ name }) => name),
      )
      page.forEach((head, at) => this.#sort(head, locals[at], review))
      afterName = page.at(-1)?.name ?? ''
      count += page.length
      this.#afterName = afterName
      if (page.length < PAGE) return false
      if (count >= ITEMS_MAX) return true
      await this.#deps.clock.sleep(0, this.#signal)
    }
  }

  /** Assigns an item to a phase. */
  #sort(head: FileHead, local: FileHead | undefined, review: LossReview | undefined): void {
    const { name } = head
    const unusable = this.#deps.tree.nameProblem(name)
    // Also for parents: a directory in place of a temporary file would block that file.
    if (unusable === undefined && (!isCanonical(name) || isReserved(name))) {
      this.#deps.items.problem(name, 'invalid file name')
      return
    }
    const step = this.#deps.items.plan(local, head, head.deleted) // needed without a record of ours: held elsewhere
    if (step.kind === 'keep') return
    // What needs no disk is recorded: others have deleted the item, or a pattern ignores it.
    if (unusable !== undefined && step.kind !== 'adopt' && step.kind !== 'ignore') {
      this.#deps.items.problem(name, unusable)
      return
    }
    if (review !== undefined) examineLoss(review, { local, head, step })
    if (step.kind === 'fetch') this.#files.add(head)
    else if (step.kind === 'metadata') this.#metadata.push(name)
    else if ((step.kind !== 'remove' && step.kind !== 'collect') || local === undefined)
      this.#atDepth(depthOf(name)).push(name)
    else if (local.type === 'directory') this.#directoryRemovals.push(name)
    else {
      this.#removals.add(name)
      if (step.kind === 'collect' || !step.saveOurs) this.#noteMovable(local)
    }
  }

  /** Leaves out what the guard holds: it stays needed. */
  async #withhold(review: LossReview, more: boolean): Promise<void> {
    if (review.hasLosses) {
      await this.#showFiles(review)
      if (more) await this.#readArrivals(review)
    }
    const held = await review.decide()
    if (held.size === 0) return
    for (const name of held) this.#removals.delete(name)
    for (let place = 0; place < this.#files.count; place++)
      if (held.has(this.#files.name(place))) this.#files.remove(place)
    this.#directoryRemovals = this.#directoryRemovals.filter((name) => !held.has(name))
  }

  /** What arrives in this iteration; read again, because most iterations lose nothing and need not keep it. */
  async #showFiles(review: LossReview): Promise<void> {
    for (let place = 0; place < this.#files.count; place++) {
      this.#signal.throwIfAborted()
      const { local, global } = await this.#deps.index.records.both(this.#files.name(place))
      if (global !== undefined) review.arrives(global, local === undefined || local.deleted)
    }
  }

  /** What is needed beyond the limit of this iteration: the content of a removed file may be there. */
  async #readArrivals(review: LossReview): Promise<void> {
    for (let afterName = this.#afterName; ;) {
      this.#signal.throwIfAborted()
      const page = await this.#deps.index.needs.need({ offset: 0, limit: PAGE, afterName })
      for (const head of page) if (!head.deleted && head.type === 'file') review.arrives(head, true)
      afterName = page.at(-1)?.name ?? ''
      if (page.length < PAGE) return
    }
  }

  #atDepth(depth: number): string[] {
    while (this.#creations.length <= depth) this.#creations.push([])
    return this.#creations[depth]!
  }

  #noteMovable({ type, name, blocksHash, sizeBytes }: FileHead): void {
    if (type !== 'file' || blocksHash === undefined || sizeBytes === 0) return
    const key = contentKey(blocksHash)
    const names = this.#movable.get(key)
    if (names === undefined) this.#movable.set(key, [name])
    else names.push(name)
  }

  async #attemptAll(names: readonly string[]): Promise<void> {
    const { items } = this.#deps
    await forEachAtOnce(names, SMALL_STEPS_AT_ONCE, async (name) => {
      this.#signal.throwIfAborted()
      await items.attempt(name, () => items.act(name, this.#renamed.get(name)))
    })
  }

  /** Renames local files whose content moved to another name; the others are left to be fetched. */
  async #moveFiles(): Promise<void> {
    for (let place = 0; this.#movable.size > 0 && place < this.#files.count; place++) {
      this.#signal.throwIfAborted()
      const source = this.#files.isRemoved(place) ? undefined : this.#movable.get(this.#files.content(place))?.pop()
      if (source === undefined) continue
      const name = this.#files.name(place)
      if (await this.#deps.items.move(source, name)) {
        this.#removals.delete(source)
        this.#files.remove(place)
      } else this.#renamed.set(source, name)
    }
  }
}

interface NeededItem {
  readonly local: FileHead | undefined
  readonly head: FileHead
  readonly step: Step
}

/** Shows the guard what goes. What is saved as a conflict copy does not go. */
function examineLoss(review: LossReview, { local, head, step }: NeededItem): void {
  if (local === undefined) return
  if (step.kind === 'remove' && !step.saveOurs) review.examine(local, 'deleted', head.modifiedBy)
  if (step.kind !== 'fetch' || step.saveOurs || local.deleted || local.type !== 'file') return
  if (local.sizeBytes > 0 && head.sizeBytes === 0) review.examine(local, 'emptied', head.modifiedBy)
}

function depthOf(name: string): number {
  let depth = 0
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) depth++
  return depth
}
