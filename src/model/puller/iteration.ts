import { hashKey } from '../../core/records/block-diff.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { isCanonical, isReserved } from '../../core/paths.ts'
import { hasSameContent } from '../../core/records/plan.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { JobQueue } from '../state/job-queue.ts'
import { adopted, type PullContext } from './context.ts'
import type { PullProgress } from '../state/file-progress.ts'
import { deletionRecord, isItemFailure, Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import type { TypeClashes } from './type-clash.ts'
import { Transfers } from './transfers.ts'

const PAGE = 2_000
/** Limit of items per iteration; the rest is left to the next one. Bounds memory when a million files are needed. */
const ITEMS_MAX = 100_000
const SMALL_STEPS_AT_ONCE = 8

export interface IterationDeps {
  readonly jobs: JobQueue
  /** The files being pulled, by name. */
  readonly progress: Map<string, PullProgress>
  readonly leftovers: Leftovers
  readonly clashes: TypeClashes
  /** The first transfer begins. */
  onTransfer(): void
  onProblem(path: string, reason: string): void
}

export interface IterationResult {
  /** More items were needed than the limit. */
  readonly more: boolean
  /** Files were skipped because no device is connected. */
  readonly waiting: boolean
}

type FileToPull = Pick<FileHead, 'name' | 'sizeBytes' | 'modifiedS' | 'modifiedNs' | 'blocksHash'>

/** One pass over all needed items, with one attempt at each. */
export class Iteration {
  readonly #context: PullContext
  readonly #items: Items
  readonly #transfers: Transfers
  readonly #leftovers: Leftovers
  readonly #signal: AbortSignal
  readonly #files: FileToPull[] = []
  readonly #metadata: string[] = []
  /** Items created without a transfer, by depth: parent directories first. */
  readonly #creations: string[][] = []
  /** Deleted files and symlinks. They are removed last, because they may be sources of moves. */
  readonly #removals = new Set<string>()
  readonly #directoryRemovals: string[] = []
  readonly #movableByContent = new Map<string, string[]>()

  constructor(context: PullContext, deps: IterationDeps, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
    this.#leftovers = deps.leftovers
    this.#items = new Items(context, deps, signal)
    const { jobs, leftovers, progress } = deps
    const onTransfer = () => deps.onTransfer()
    this.#transfers = new Transfers(context, { items: this.#items, jobs, progress, leftovers, onTransfer }, signal)
  }

  async run(): Promise<IterationResult> {
    const { records } = this.#context
    const more = await this.#collect()
    for (const names of this.#creations) await this.#attemptAll(names)
    await this.#attemptAll(this.#metadata)
    const files = await this.#moveFiles()
    await records.flush()
    const waiting = await this.#transfers.run(files)
    await this.#attemptAll([...this.#removals])
    await records.flush() // the index must contain the deletions before directories are checked
    for (const name of this.#directoryRemovals.reverse()) await this.#items.attempt(name, () => this.#items.act(name))
    await records.flush()
    await this.#leftovers.sweep(this.#context, (local, global) => this.#items.plan(local, global), this.#signal)
    return { more, waiting }
  }

  /**
   * Assigns needed items to phases; true when there are more than the limit. Read before anything changes, because
   * paging over a shrinking need list would skip items. Only names are kept: their records take much more memory.
   */
  async #collect(): Promise<boolean> {
    let afterName = ''
    for (let count = 0; ;) {
      this.#signal.throwIfAborted()
      const page = await this.#context.index.need({ offset: 0, limit: PAGE, afterName })
      for (const head of page) await this.#sort(head)
      afterName = page.at(-1)?.name ?? ''
      count += page.length
      if (page.length < PAGE) return false
      if (count >= ITEMS_MAX) return true
    }
  }

  /** Assigns an item to a phase. */
  async #sort(head: FileHead): Promise<void> {
    this.#signal.throwIfAborted()
    const { name } = head
    // Also for parents: a directory in place of a temporary file would block that file.
    if (!isCanonical(name) || isReserved(name)) {
      this.#items.problem(name, 'invalid file name')
      return
    }
    const local = await this.#context.index.head('local', name)
    const step = this.#items.plan(local, head, head.deleted) // needed without a record of ours: held elsewhere
    if (step.kind === 'keep') return
    if (step.kind === 'fetch') {
      const { sizeBytes, modifiedS, modifiedNs, blocksHash } = head
      this.#files.push({ name, sizeBytes, modifiedS, modifiedNs, blocksHash })
    } else if (step.kind === 'metadata') this.#metadata.push(name)
    else if (step.kind !== 'remove' || local === undefined) this.#atDepth(depthOf(name)).push(name)
    else if (step.type === 'directory') this.#directoryRemovals.push(name)
    else {
      this.#removals.add(name)
      if (!step.saveOurs) this.#noteMovable(local)
    }
  }

  #atDepth(depth: number): string[] {
    while (this.#creations.length <= depth) this.#creations.push([])
    return this.#creations[depth]!
  }

  #noteMovable({ type, name, blocksHash, sizeBytes }: FileHead): void {
    if (type !== 'file' || blocksHash === undefined || sizeBytes === 0) return
    const key = hashKey(blocksHash)
    const names = this.#movableByContent.get(key)
    if (names === undefined) this.#movableByContent.set(key, [name])
    else names.push(name)
  }

  async #attemptAll(names: readonly string[]): Promise<void> {
    await forEachAtOnce(names, SMALL_STEPS_AT_ONCE, async (name) => {
      this.#signal.throwIfAborted()
      await this.#items.attempt(name, () => this.#items.act(name))
    })
  }

  /** Renames local files whose content moved to another name. Returns the files that must be fetched. */
  async #moveFiles(): Promise<readonly FileToPull[]> {
    const rest: FileToPull[] = []
    for (const file of this.#files) {
      this.#signal.throwIfAborted()
      const { blocksHash } = file
      const source = blocksHash === undefined ? undefined : this.#movableByContent.get(hashKey(blocksHash))?.pop()
      if (source === undefined || !(await this.#moved(source, file.name))) rest.push(file)
    }
    return rest
  }

  /** False where it is not possible: the file is fetched then, and the source removed separately. */
  async #moved(from: string, to: string): Promise<boolean> {
    const context = this.#context
    const { index } = context
    using _lock = await context.folderLock.shared(this.#signal)
    const { local: fromLocal, global: fromGlobal } = await index.both(from)
    const { local: toLocal, global: toGlobal } = await index.both(to)
    if (context.tree.keepsVersions) return false
    if (fromLocal === undefined || fromGlobal === undefined || toGlobal === undefined) return false
    const removal = this.#items.plan(fromLocal, fromGlobal)
    const update = this.#items.plan(toLocal, toGlobal)
    if (removal.kind !== 'remove' || removal.saveOurs || update.kind !== 'fetch') return false
    if (!hasSameContent(fromLocal, toGlobal)) return false
    context.counts.note(fromLocal, fromGlobal)
    context.counts.note(toLocal, toGlobal)
    const next = { global: toGlobal, local: toLocal, saveOurs: update.saveOurs }
    const move = async () => {
      context.records.add(adopted(toGlobal, await context.tree.move(fromLocal, next)))
      context.records.add(deletionRecord(fromGlobal))
    }
    const moved = await this.#attempt(() =>
      this.#items.withItemEvents(fromGlobal, 'delete', () => this.#items.withItemEvents(toGlobal, 'update', move)),
    )
    if (moved) this.#removals.delete(from)
    return moved
  }

  /** Errors of a move are not reported: the fetch either succeeds or reports its own. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (this.#signal.aborted || !isItemFailure(error)) throw error
      return false
    }
  }
}

function depthOf(name: string): number {
  let depth = 0
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) depth++
  return depth
}
