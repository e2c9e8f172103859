import { diskTimeOf } from '../../core/records/file-info.ts'
import { ignoredGlobal, jointDeletion, planBookkeeping } from '../../core/records/plan.ts'
import { adopted, type PullContext } from './context.ts'

const NAMES_AT_ONCE = 2_000

/**
 * Replaces pulling in send-only folders: it adopts the versions of items that are identical locally. It never changes a
 * file and never fails. All needed items are compared once, later only those updated since: such a folder may need a
 * million files that it will never pull.
 */
export class Bookkeeper {
  /** The ignore patterns of the last full comparison; undefined before it. */
  #lines: readonly string[] | undefined

  async reconcile(context: PullContext, signal: AbortSignal): Promise<void> {
    const lines = this.#lines
    this.#lines = undefined // after an interruption the next call compares everything
    const touched = await context.index.takeTouched()
    if (touched === undefined || lines === undefined || !isSame(lines, context.ignore.lines))
      await reconcileAll(context, signal)
    else await reconcileNames(context, touched, signal)
    this.#lines = context.ignore.lines
  }
}

async function reconcileAll(context: PullContext, signal: AbortSignal): Promise<void> {
  for (let afterName: string | undefined = ''; afterName !== undefined;) {
    const page = await context.index.need({ offset: 0, limit: NAMES_AT_ONCE, afterName })
    const names: readonly string[] = page.map(({ name }) => name)
    await reconcileNames(context, names, signal)
    afterName = names.length < NAMES_AT_ONCE ? undefined : names.at(-1)
  }
}

async function reconcileNames(context: PullContext, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    using _lock = await context.folderLock.shared(signal)
    for (const name of names.slice(start, start + NAMES_AT_ONCE)) await reconcileName(context, name)
    await context.records.flush()
  }
}

async function reconcileName(context: PullContext, name: string): Promise<void> {
  const { local, global, heldElsewhere, deletions } = await context.index.both(name)
  if (global === undefined) return
  const ignored = context.ignore.match(name).ignored
  const step = planBookkeeping({ local, global, heldElsewhere, ignored }, context.tree.ignoresPermissions)
  if (step.kind === 'keep') return
  context.counts.note(local, global)
  if (step.kind === 'ignore') context.records.add({ ...ignoredGlobal(global), blockHashes: undefined })
  else context.records.add(adopted(jointDeletion(global, deletions), diskTimeOf(local ?? global)))
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i])
}
