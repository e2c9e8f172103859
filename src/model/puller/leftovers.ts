import { isMissing } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { Step } from '../../core/records/plan.ts'
import { pathOf, type PullContext } from './context.ts'

/** Whatever is over is found by a scan, when it is a day old. */
const NAMES_MAX = 10_000

/**
 * Temporary files of pulls that failed. They wait for the next attempt; where none will come, because the name is as it
 * should be by now, or gone, they are in the way of nobody but people.
 */
export class Leftovers {
  readonly #names = new Set<string>()

  get any(): boolean {
    return this.#names.size > 0
  }

  add(name: string): void {
    if (this.#names.size < NAMES_MAX) this.#names.add(name)
  }

  /** Removes what no pull will go on with. Rejects only when the index fails or the signal aborts. */
  async sweep(
    context: PullContext,
    plan: (local: FileHead | undefined, global: FileHead) => Step,
    signal: AbortSignal,
  ): Promise<void> {
    for (const name of this.#names) {
      using _turn = await context.turn.shared(signal)
      const global = await context.index.global(name)
      const local = await context.index.get('local', name)
      if (global !== undefined && plan(local, global).kind === 'fetch') continue
      this.#names.delete(name)
      await removeTemporary(context, name)
    }
  }
}

/** What cannot be removed now is left to the scan that finds it old. */
async function removeTemporary(context: PullContext, name: string): Promise<void> {
  const temporary = temporaryName(name, context.platform.system.platform)
  try {
    if (!(await context.parents.isReachable(temporary))) return
    await context.parents.inside(temporary, () => context.platform.disk.removeFile(pathOf(context, temporary)))
  } catch (error) {
    if (!isMissing(error))
      context.log.debug(() => `folder ${context.folder.id}: ${JSON.stringify(temporary)} stays: ${String(error)}`)
  }
}
