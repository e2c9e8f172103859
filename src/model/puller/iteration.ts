import { hashKey } from '../../core/records/block-diff.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { isCanonical, isInternal, isTemporary } from '../../core/paths.ts'
import { hasSameContent } from '../../core/records/plan.ts'
import { forEachAtOnce } from '../../sync/for-each.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { PullContext } from './context.ts'
import type { PullProgress } from './file-progress.ts'
import { isItemTrouble, Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import { moveFile, type Move } from './rename.ts'
import { Transfers } from './transfers.ts'

const PAGE = 2_000
/** Items of one iteration: what is over comes with the next. A million needed files need no memory for a million. */
const ITEMS_MAX = 100_000
const SMALL_STEPS_AT_ONCE = 8

export interface IterationDeps {
  readonly jobs: JobQueue
  /** The files being pulled, by name. */
  readonly progress: Map<string, PullProgress>
  readonly leftovers: Leftovers
  /** The first file is begun. */
  onTransfer(): void
  onProblem(path: string, reason: string): void
}

export interface IterationResult {
  /** There was more than one iteration takes. */
  readonly more: boolean
  /** Files were left because nobody is connected. */
  readonly waiting: boolean
}

type FileToPull = Pick<FileHead, 'name' | 'sizeBytes' | 'modifiedS' | 'modifiedNs' | 'blocksHash'>

/** One look at everything that is needed, and one attempt at each item. */
export class Iteration {
  readonly #context: PullContext
  readonly #items: Items
  readonly #transfers: Transfers
  readonly #leftovers: Leftovers
  readonly #signal: AbortSignal
  readonly #files: FileToPull[] = []
  readonly #metadata: string[] = []
  /** What is made here without a transfer, by depth: a directory before what is in it. */
  readonly #makings: string[][] = []
  /** Files and symlinks that others deleted. They go last: one of them may turn out to be the source of a move. */
  readonly #removals = new Set<string>()
  readonly #directoryRemovals: string[] = []
  readonly #movableByContent = new Map<string, string[]>()

  constructor(context: PullContext, deps: IterationDeps, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
    this.#leftovers = deps.leftovers
    this.#items = new Items(context, (path, reason) => deps.onProblem(path, reason), signal)
    const { jobs, leftovers, progress } = deps
    const onTransfer = () => deps.onTransfer()
    this.#transfers = new Transfers(context, { items: this.#items, jobs, progress, leftovers, onTransfer }, signal)
  }

  async run(): Promise<IterationResult> {
    const { records } = this.#context
    const { needed, more } = await this.#collect()
    for (const head of needed) await this.#sort(head)
    for (const names of this.#makings) await this.#attemptAll(names)
    await this.#attemptAll(this.#metadata)
    const files = await this.#moveFiles()
    await records.flush()
    const waiting = await this.#transfers.run(files)
    await this.#attemptAll([...this.#removals])
    await records.flush() // the index must know what is gone before anybody looks into directories
    for (const name of this.#directoryRemovals.reverse()) await this.#items.attempt(name, () => this.#items.act(name))
    await records.flush()
    await this.#leftovers.sweep(this.#context, (local, global) => this.#items.plan(local, global), this.#signal)
    return { more, waiting }
  }

  /** Read before anything changes: what is done is no longer needed, and the rest would move up. */
  async #collect(): Promise<{ readonly needed: readonly FileHead[]; readonly more: boolean }> {
    const needed: FileHead[] = []
    for (;;) {
      this.#signal.throwIfAborted()
      const page = await this.#context.index.need({ offset: 0, limit: PAGE, afterName: needed.at(-1)?.name ?? '' })
      needed.push(...page)
      if (page.length < PAGE) return { needed, more: false }
      if (needed.length >= ITEMS_MAX) return { needed, more: true }
    }
  }

  /** Puts an item where it belongs by what it needs. */
  async #sort(head: FileHead): Promise<void> {
    this.#signal.throwIfAborted()
    const { name } = head
    // Also below such a name: a directory in the place of a temporary file would keep that file from ever being made.
    if (!isCanonical(name) || isInternal(name) || name.split('/').some(isTemporary)) {
      this.#items.problem(name, 'name is not one that a folder may hold')
      return
    }
    const local = await this.#context.index.head('local', name)
    const step = this.#items.plan(local, head)
    if (step.kind === 'keep') return
    if (step.kind === 'fetch') this.#files.push(head)
    else if (step.kind === 'metadata') this.#metadata.push(name)
    else if (step.kind !== 'remove' || local === undefined) this.#atDepth(depthOf(name)).push(name)
    else if (step.type === 'directory') this.#directoryRemovals.push(name)
    else {
      this.#removals.add(name)
      if (!step.saveOurs) this.#noteMovable(local)
    }
  }

  #atDepth(depth: number): string[] {
    while (this.#makings.length <= depth) this.#makings.push([])
    return this.#makings[depth]!
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

  /** Files that are here under a name that was deleted elsewhere only change it. Returns those that must be fetched. */
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

  /** False where it turned out not to be possible: then the file is fetched, and the source removed for itself. */
  async #moved(from: string, to: string): Promise<boolean> {
    const context = this.#context
    const { index } = context
    using _turn = await context.turn.shared(this.#signal)
    const { local: fromLocal, global: fromGlobal } = await index.both(from)
    const { local: toLocal, global: toGlobal } = await index.both(to)
    if (context.archive !== undefined) return false
    if (fromLocal === undefined || fromGlobal === undefined || toGlobal === undefined) return false
    const removal = this.#items.plan(fromLocal, fromGlobal)
    const update = this.#items.plan(toLocal, toGlobal)
    if (removal.kind !== 'remove' || removal.saveOurs || update.kind !== 'fetch') return false
    if (!hasSameContent(fromLocal, toGlobal)) return false
    context.counts.note(fromLocal, fromGlobal)
    context.counts.note(toLocal, toGlobal)
    const move: Move = {
      from: { local: fromLocal, global: fromGlobal },
      to: { local: toLocal, global: toGlobal },
      saveOurs: update.saveOurs,
    }
    const moved = await this.#quietly(() =>
      this.#items.told(fromGlobal, 'delete', () => this.#items.told(toGlobal, 'update', () => moveFile(context, move))),
    )
    if (moved) this.#removals.delete(from)
    return moved
  }

  /** Whatever kept a file from being moved keeps it from being fetched, and is told then, or it does not. */
  async #quietly(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (this.#signal.aborted || !isItemTrouble(error)) throw error
      return false
    }
  }
}

function depthOf(name: string): number {
  let depth = 0
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) depth++
  return depth
}
