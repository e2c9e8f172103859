import { detailOf } from '../../core/errors.ts'
import { FLAG_UNSUPPORTED, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import {
  adoptedRecord,
  deletionRecord,
  hasSameContent,
  ignoredGlobal,
  jointDeletion,
  planStep,
  type PlanCase,
  type Step,
} from '../../core/records/plan.ts'
import { isUntrustedTypeChange, type ReplacedItem } from '../../core/records/untrusted-change.ts'
import type { EventSink, ItemAction } from '../../events/types.ts'
import { isItemFailure, itemFailed } from '../../platform/files/item-failed.ts'
import type { Obtained } from '../content/contents.ts'
import { trailerOf } from '../content/format.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { NewFile } from '../tree/memory-files.ts'
import { foldName } from '../../core/paths.ts'
import { collectFile, makeRoom } from './collect.ts'
import type { Merges, MergeSources } from './merges.ts'
import type { PullParts } from './pull-parts.ts'
import type { TypeClashes } from './type-clash.ts'
import { ITEM_TYPES } from '../state/item-types.ts'

export interface ItemsDeps extends PullParts {
  readonly events: EventSink
  readonly clashes: Pick<TypeClashes, 'resolveAbove'>
  readonly merges: Pick<Merges, 'merge'>
  readonly merging: Pick<MergeSources, 'pulled'>
  onProblem(path: string, reason: string): void
}

/** Our record of an item, and `Records.localState` from before it was read. */
export interface ReadRecord {
  readonly local: FileHead | undefined
  readonly state: object | undefined
}

/** Content of a file that was new when `state` was `Records.localState`. */
export interface NewContent extends NewFile {
  readonly state: object | undefined
}

/** Applies steps to single items. A failure of one item is recorded and does not end the pull. */
export class Items {
  readonly #deps: ItemsDeps
  readonly #signal: AbortSignal

  constructor(deps: ItemsDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  /** The step for an item by these records; `heldElsewhere` as in `PlanCase`. */
  plan(local: FileHead | undefined, global: FileHead, heldElsewhere = false): Step {
    return this.#plan(local, global, { heldElsewhere })
  }

  #plan(
    local: FileHead | undefined,
    global: FileHead,
    { heldElsewhere = false, collects = this.#deps.collects }: Partial<Pick<PlanCase, 'heldElsewhere' | 'collects'>>,
  ): Step {
    const { ignoreDelete, type } = this.#deps.folder
    const { ignored } = this.#deps.ignore.match(global.name)
    const { keepsConflicts } = FOLDER_POLICIES[type]
    const kept = this.#keptOf(local, global.name)
    return planStep({ local, global, heldElsewhere, ignored, ignoreDelete, keepsConflicts, collects, kept })
  }

  /** The kept file of a name whose record of ours is its deletion, or is missing. */
  #keptOf(local: FileHead | undefined, name: string): FileHead | undefined {
    return local === undefined || local.deleted ? this.#deps.kept.find(name)?.file : undefined
  }

  problem(name: string, reason: string): void {
    this.#deps.onProblem(name, reason)
    this.#deps.log.debug(() => `folder ${this.#deps.folder.id}: ${JSON.stringify(name)}: ${reason}`)
  }

  /** True on success. Errors that do not concern the item alone end the pull. */
  async attempt(name: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work().catch((error: unknown) => this.#attemptAgain(name, work, error))
      await this.#deps.records.flushIfDue()
      return true
    } catch (error) {
      if (this.#signal.aborted || !isItemFailure(error)) throw error
      this.problem(name, this.#deps.tree.reasonOf(error))
      return false
    }
  }

  /** After a failure: a second attempt where an item of ours in place of a parent directory was renamed. */
  async #attemptAgain(name: string, work: () => Promise<void>, error: unknown): Promise<void> {
    if (this.#signal.aborted || !isItemFailure(error) || detailOf(error) === 'no-source') throw error
    if (!(await this.#deps.clashes.resolveAbove(this.#deps, name, this.#signal))) throw error
    await work()
  }

  /**
   * Applies a step without transfer, planned with the current records under the lock. `renamedTo`: the name under which
   * other devices have the content of a deleted file.
   */
  async act(name: string, renamedTo?: string): Promise<void> {
    const { folderLock, index, records, tree } = this.#deps
    using _lock = await folderLock.shared(this.#signal)
    const { local, global, heldElsewhere, deletions, holders } = await index.records.both(name)
    if (global === undefined) return
    const collects = this.#deps.collects && !(await this.#hasMoved(local, renamedTo))
    const step = this.#plan(local, global, { heldElsewhere, collects })
    if (step.kind === 'keep' || step.kind === 'fetch') return // planned differently before: left to the next iteration
    if (step.kind !== 'ignore') this.checkTypeChange({ local, global, holders })
    const add = (record: FileInfo) => records.add(record, local)
    switch (step.kind) {
      case 'ignore':
        return add(ignoredGlobal(global))
      case 'adopt':
        return add(deletionRecord(jointDeletion(global, deletions)))
      case 'metadata':
        // The steps `metadata`, `collect` and `remove` imply a local record or a kept file.
        return await this.withItemEvents(global, 'metadata', async () => {
          const ours = this.#keptOf(local, name) ?? local!
          add(adoptedRecord(global, await tree.setMetadata(global, ours, trailerOf(global))))
        })
      case 'make-directory':
        return await this.withItemEvents(global, 'update', async () => {
          await makeRoom(this.#deps, global)
          await tree.makeDirectory({ global, local, saveOurs: step.saveOurs })
          add(adoptedRecord(global, global))
        })
      case 'make-symlink':
        return await this.withItemEvents(global, 'update', async () => {
          await makeRoom(this.#deps, global)
          const isMade = await tree.makeSymlink({ global, local, saveOurs: step.saveOurs })
          add({ ...adoptedRecord(global, global), localFlags: isMade ? 0 : FLAG_UNSUPPORTED })
        })
      case 'collect':
        return await this.withItemEvents(global, 'delete', () =>
          collectFile(this.#deps, local!, jointDeletion(global, deletions)),
        )
      case 'remove':
        return await this.withItemEvents(global, 'delete', async () => {
          if (step.type === 'directory') await tree.removeDirectory(name)
          else await tree.remove(name, local!, step.saveOurs ? global : undefined)
          add(deletionRecord(global))
        })
    }
  }

  /** Whether the content of our file is here under the name to which other devices have renamed it. */
  async #hasMoved(local: FileHead | undefined, renamedTo: string | undefined): Promise<boolean> {
    if (local === undefined || renamedTo === undefined) return false
    // A disk that does not distinguish case has one place for both names.
    if (foldName(local.name) === foldName(renamedTo)) return true
    const moved = await this.#deps.index.records.head('local', renamedTo)
    return moved !== undefined && hasSameContent(moved, local)
  }

  /** Rejects with `item-failed` where only untrusted devices give our item another type. */
  checkTypeChange(item: ReplacedItem): void {
    if (!isUntrustedTypeChange(item, this.#deps.folder.devices)) return
    throw itemFailed(
      `it is a ${item.local!.type} here, and only untrusted devices announce it as a ${item.global.type}; ` +
        'remove it here to accept that, or connect to a device that can read the folder',
    )
  }

  /**
   * Puts obtained content in its place and records it; false where it is not taken from memory. Decided again under the
   * lock: a scan may have recorded a local change since, and must not find the file without a record.
   */
  async put(content: Obtained, global: FileInfo, read?: ReadRecord): Promise<boolean> {
    const { folderLock, index, records, tree } = this.#deps
    using _lock = await folderLock.shared(this.#signal)
    const isCurrent = read?.state !== undefined && read.state === index.records.localState
    const local = isCurrent ? read.local : await index.records.head('local', global.name)
    const step = this.plan(local, global)
    if (step.kind !== 'fetch' && step.kind !== 'metadata') {
      await content.discard()
      return true
    }
    let saveOurs = step.kind === 'fetch' && step.saveOurs
    if (saveOurs && local !== undefined) {
      if (content.kind === 'memory' && content.hash !== undefined) return false // not verified yet
      const outcome = await this.#deps.merges.merge(content, { local, global })
      if (outcome === 'merged') return true
      saveOurs = outcome === 'none'
    }
    if (step.kind === 'fetch') await makeRoom(this.#deps, global)
    const state = await tree.put(content, { global, local, saveOurs })
    if (state === undefined) return false
    records.add(adoptedRecord(global, state), local)
    if (content.kind === 'memory' && content.trailerBytes === undefined) this.#deps.merging.pulled(global, content.data)
    return true
  }

  /** Whether a needed item, of which we have no record, is a file to be fetched. */
  isNewFile(global: FileHead): boolean {
    if (this.#deps.tree.nameProblem(global.name) !== undefined) return false
    return this.plan(undefined, global).kind === 'fetch'
  }

  /**
   * Puts the contents of files that were new here, and records them. Decided again under the lock, as in `put`. Returns
   * which are put; with the others nothing has changed.
   */
  async putNew(files: readonly NewContent[]): Promise<readonly boolean[]> {
    const { folderLock, index, merging, records, tree } = this.#deps
    using _lock = await folderLock.shared(this.#signal)
    const isNew = new Map<NewContent, boolean>()
    for (const file of files) {
      const isCurrent = file.state !== undefined && file.state === index.records.localState
      const local = isCurrent ? undefined : await index.records.head('local', file.global.name)
      isNew.set(file, local === undefined && this.isNewFile(file.global))
    }
    const wanted = files.filter((file) => isNew.get(file))
    const states = wanted.length === 0 ? [] : await tree.putNew(wanted)
    wanted.forEach((file, at) => {
      const state = states[at]
      isNew.set(file, state !== undefined)
      if (state === undefined) return
      records.add(adoptedRecord(file.global, state), undefined)
      merging.pulled(file.global, file.data)
    })
    return files.map((file) => isNew.get(file) === true)
  }

  /**
   * Renames a local file whose content moved to another name. False where that is not possible: the file is fetched
   * then, which either succeeds or reports its own error, and the source is removed separately.
   */
  async move(from: string, to: string): Promise<boolean> {
    const { folderLock, index, records, tree } = this.#deps
    using _lock = await folderLock.shared(this.#signal)
    const source = await index.records.both(from)
    const { local, global } = await index.records.both(to)
    if (tree.keepsVersions) return false
    if (source.local === undefined || source.global === undefined || global === undefined) return false
    const { local: moved, global: deletion } = source
    const removal = this.plan(moved, deletion)
    const update = this.plan(local, global)
    const isRemoved = removal.kind === 'collect' || (removal.kind === 'remove' && !removal.saveOurs)
    if (!isRemoved || update.kind !== 'fetch') return false
    if (!hasSameContent(moved, global)) return false
    const move = async () => {
      await makeRoom(this.#deps, global)
      const state = await tree.move(moved, { global, local, saveOurs: update.saveOurs })
      records.add(adoptedRecord(global, state), local)
      records.add(deletionRecord(deletion), moved)
    }
    try {
      await this.withItemEvents(deletion, 'delete', () => this.withItemEvents(global, 'update', move))
      return true
    } catch (error) {
      if (this.#signal.aborted || !isItemFailure(error)) throw error
      return false
    }
  }

  /** Removes the temporary file of an item that is not fetched any more. Failures are left to a scan. */
  async removeLeftover(name: string): Promise<boolean> {
    const { folder, folderLock, index, log, tree } = this.#deps
    using _lock = await folderLock.shared(this.#signal)
    const { local, global } = await index.records.both(name)
    if (global !== undefined && this.plan(local, global).kind === 'fetch') return false
    await tree.temporaries.removeIfReachable(name).catch((error: unknown) => {
      const what = `the temporary file of ${JSON.stringify(name)}`
      log.debug(() => `folder ${folder.id}: ${what} is not removed: ${String(error)}`)
    })
    return true
  }

  /** Emits the item events around `work`; `isBegun`: the first one has been. */
  async withItemEvents(item: FileHead, action: ItemAction, work: () => Promise<void>, isBegun = false): Promise<void> {
    if (!isBegun) this.began(item, action)
    try {
      await work()
    } catch (error) {
      this.failed(item, action, error)
      throw error
    }
    this.ended(item, action)
  }

  began(item: FileHead, action: ItemAction): void {
    this.#deps.events.emit('ItemStarted', this.#eventData(item, action))
  }

  ended(item: FileHead, action: ItemAction): void {
    this.#deps.events.emit('ItemFinished', { ...this.#eventData(item, action), error: null })
  }

  failed(item: FileHead, action: ItemAction, error: unknown): void {
    const reason = this.#deps.tree.reasonOf(error)
    this.#deps.events.emit('ItemFinished', { ...this.#eventData(item, action), error: reason })
  }

  /** A deleted symlink is reported as a file, as in Syncthing. */
  #eventData({ name, type }: FileHead, action: ItemAction) {
    const shown = action === 'delete' && type === 'symlink' ? 'file' : ITEM_TYPES[type]
    return { folder: this.#deps.folder.id, item: name, type: shown, action }
  }
}
