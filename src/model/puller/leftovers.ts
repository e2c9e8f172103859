import { isMissing } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { Step } from '../../core/records/plan.ts'
import { pathOf, type PullContext } from './context.ts'

/** Leftovers beyond the limit are removed by a scan after a day. */
const NAMES_MAX = 10_000

/**
 * Temporary files of failed pulls. They are kept for the next attempt, and removed when the item is up to date or
 * deleted.
 */
export class Leftovers {
  readonly #names = new Set<string>()

  get any(): boolean {
    return this.#names.size > 0
  }

  add(name: string): void {
    if (this.#names.size < NAMES_MAX) this.#names.add(name)
  }

  /** Removes leftovers that no pull will resume. Rejects only when the index fails or the signal aborts. */
  async sweep(
    context: PullContext,
    plan: (local: FileHead | undefined, global: FileHead) => Step,
    signal: AbortSignal,
  ): Promise<void> {
    for (const name of this.#names) {
      using _lock = await context.folderLock.shared(signal)
      const global = await context.index.global(name)
      const local = await context.index.get('local', name)
      if (global !== undefined && plan(local, global).kind === 'fetch') continue
      this.#names.delete(name)
      await removeTemporary(context, name)
    }
  }
}

/** Failures are left to the scan that removes old temporary files. */
async function removeTemporary(context: PullContext, name: string): Promise<void> {
  const temporary = temporaryName(name, context.platform.system.platform)
  try {
    if (!(await context.parents.isReachable(temporary))) return
    await context.parents.inside(temporary, () => context.platform.disk.removeFile(pathOf(context, temporary)))
  } catch (error) {
    if (!isMissing(error))
      context.log.debug(() => `folder ${context.folder.id}: ${JSON.stringify(temporary)} not removed: ${String(error)}`)
  }
}
