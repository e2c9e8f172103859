import { detailOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import { FLAG_UNSUPPORTED, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import { ignoredGlobal, jointDeletion, type Step } from '../../core/records/plan.ts'
import type { ItemAction, ItemType } from '../../events/types.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { formatOf } from '../content/format.ts'
import { adopted, type PullContext } from './context.ts'
import { stepOf } from './plan-again.ts'
import type { TypeClashes } from './type-clash.ts'

const ITEM_TYPES: Readonly<Record<FileHead['type'], ItemType>> = { file: 'file', directory: 'dir', symlink: 'symlink' }

const NO_SYMLINKS: ReadonlySet<string> = new Set(['win32', 'android'])

export interface ItemsDeps {
  readonly clashes: Pick<TypeClashes, 'resolveAbove'>
  onProblem(path: string, reason: string): void
}

/** Applies steps to single items. A failure of one item is recorded and does not end the pull. */
export class Items {
  readonly #context: PullContext
  readonly #deps: ItemsDeps
  readonly #signal: AbortSignal

  constructor(context: PullContext, deps: ItemsDeps, signal: AbortSignal) {
    this.#context = context
    this.#deps = deps
    this.#signal = signal
  }

  plan(local: FileHead | undefined, global: FileHead, heldElsewhere = false): Step {
    return stepOf(this.#context, local, global, heldElsewhere)
  }

  problem(name: string, reason: string): void {
    this.#deps.onProblem(name, reason)
    this.#context.log.debug(() => `folder ${this.#context.folder.id}: ${JSON.stringify(name)}: ${reason}`)
  }

  /** True on success. Errors that do not concern the item alone end the pull. */
  async attempt(name: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work().catch((error: unknown) => this.#attemptAgain(name, work, error))
      await this.#context.records.flushIfDue()
      return true
    } catch (error) {
      if (this.#signal.aborted || !isItemFailure(error)) throw error
      this.problem(name, reasonOf(error))
      return false
    }
  }

  /** After a failure: a second attempt where an item of ours in place of a parent directory was renamed. */
  async #attemptAgain(name: string, work: () => Promise<void>, error: unknown): Promise<void> {
    if (this.#signal.aborted || !isItemFailure(error) || detailOf(error) === 'no-source') throw error
    if (!(await this.#deps.clashes.resolveAbove(this.#context, name, this.#signal))) throw error
    await work()
  }

  /** Applies a step without transfer, planned with the current records under the lock. */
  async act(name: string): Promise<void> {
    const context = this.#context
    using _lock = await context.folderLock.shared(this.#signal)
    const { local, global, heldElsewhere, deletions } = await context.index.both(name)
    if (global === undefined) return
    const step = this.plan(local, global, heldElsewhere)
    if (step.kind === 'keep' || step.kind === 'fetch') return // planned differently before: left to the next iteration
    context.counts.note(local, global)
    const { records, tree } = context
    switch (step.kind) {
      case 'ignore':
        return records.add({ ...ignoredGlobal(global), blockHashes: undefined })
      case 'adopt':
        return records.add(deletionRecord(jointDeletion(global, deletions)))
      case 'metadata':
        // The steps `metadata` and `remove` imply a local record.
        return await this.withItemEvents(global, 'metadata', async () => {
          const trailer = formatOf(global, context.platform.fileMaker).trailer(global)
          const state =
            trailer === undefined ? tree.setMetadata(global, local!) : tree.setTrailer(global, local!, trailer)
          records.add(adopted(global, await state))
        })
      case 'make-directory':
        return await this.withItemEvents(global, 'update', async () => {
          await tree.makeDirectory({ global, local, saveOurs: step.saveOurs })
          records.add(adopted(global, global))
        })
      case 'make-symlink':
        return await this.withItemEvents(global, 'update', async () => {
          const isPossible = !NO_SYMLINKS.has(context.platform.system.platform)
          if (isPossible) await tree.makeSymlink({ global, local, saveOurs: step.saveOurs })
          records.add({ ...adopted(global, global), localFlags: isPossible ? 0 : FLAG_UNSUPPORTED })
        })
      case 'remove':
        return await this.withItemEvents(global, 'delete', async () => {
          if (step.type === 'directory') await tree.removeDirectory(name)
          else await tree.remove(name, local!, step.saveOurs ? global : undefined)
          records.add(deletionRecord(global))
        })
    }
  }

  /** Emits the item events around `work`. A deleted symlink is reported as a file, as in Syncthing. */
  async withItemEvents(item: FileHead, action: ItemAction, work: () => Promise<void>): Promise<void> {
    const { events, folder } = this.#context
    const type = action === 'delete' && item.type === 'symlink' ? 'file' : ITEM_TYPES[item.type]
    const data = { folder: folder.id, item: item.name, type, action }
    events.emit('ItemStarted', data)
    try {
      await work()
    } catch (error) {
      events.emit('ItemFinished', { ...data, error: reasonOf(error) })
      throw error
    }
    events.emit('ItemFinished', { ...data, error: null })
  }
}

export function deletionRecord(global: FileInfo): FileInfo {
  return { ...global, sequence: 0, localFlags: 0 }
}

/** Disk errors and failures concern one item; folder errors, index failures and bugs concern all. */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof TwinfoldError) return error.code === 'item-failed'
  return DISK_CODE.test(systemCode(error) ?? '')
}

/** `ENOSPC`, `EIO`; excludes codes of other parts of the runtime, such as the database. */
const DISK_CODE = /^E[A-Z0-9]+$/

function reasonOf(error: unknown): string {
  return diskReason(error)
}
