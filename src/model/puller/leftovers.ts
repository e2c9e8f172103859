import type { FileHead } from '../../core/records/file-info.ts'
import type { Step } from '../../core/records/plan.ts'
import type { PullContext } from './context.ts'

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
  await context.tree.temporaries.removeIfReachable(name).catch((error: unknown) => {
    const what = `the temporary file of ${JSON.stringify(name)}`
    context.log.debug(() => `folder ${context.folder.id}: ${what} is not removed: ${String(error)}`)
  })
}
