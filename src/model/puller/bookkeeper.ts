import { diskTimeOf } from '../../core/records/file-info.ts'
import { adoptedRecord, ignoredGlobal, jointDeletion, planBookkeeping } from '../../core/records/plan.ts'
import { isItemFailure } from '../../platform/files/item-failed.ts'
import { TimeSlice } from '../../sync/time-slice.ts'
import { collectFile } from './collect.ts'
import type { PullParts } from './pull-parts.ts'

type BookkeeperParts = Pick<
  PullParts,
  'clock' | 'collects' | 'folderLock' | 'ignore' | 'index' | 'kept' | 'records' | 'tree'
>

const NAMES_AT_ONCE = 2_000

/**
 * Replaces pulling in send-only folders: it adopts the versions of items that are identical locally. It never changes a
 * file and never fails. All needed items are compared once, later only those updated since: such a folder may need a
 * million files that it will never pull.
 */
export class Bookkeeper {
  /** The ignore patterns of the last full comparison; undefined before it. */
  #lines: readonly string[] | undefined

  async reconcile(parts: BookkeeperParts, signal: AbortSignal): Promise<void> {
    const lines = this.#lines
    this.#lines = undefined // after an interruption the next call compares everything
    const touched = await parts.index.needs.takeTouched()
    if (touched === undefined || lines === undefined || !parts.ignore.hasLines(lines)) await reconcileAll(parts, signal)
    else await reconcileNames(parts, touched, signal)
    this.#lines = parts.ignore.lines
  }
}

async function reconcileAll(parts: BookkeeperParts, signal: AbortSignal): Promise<void> {
  for (let afterName: string | undefined = ''; afterName !== undefined;) {
    const page = await parts.index.needs.need({ offset: 0, limit: NAMES_AT_ONCE, afterName })
    const names: readonly string[] = page.map(({ name }) => name)
    await reconcileNames(parts, names, signal)
    afterName = names.length < NAMES_AT_ONCE ? undefined : names.at(-1)
  }
}

async function reconcileNames(parts: BookkeeperParts, names: readonly string[], signal: AbortSignal): Promise<void> {
  const slice = new TimeSlice(parts.clock, signal)
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    using _lock = await parts.folderLock.shared(signal)
    for (const name of names.slice(start, start + NAMES_AT_ONCE)) {
      await reconcileName(parts, name)
      if (slice.isDue) await slice.yield()
    }
    await parts.records.flush()
  }
}

async function reconcileName(parts: BookkeeperParts, name: string): Promise<void> {
  const { collects, ignore, index, records, tree } = parts
  const { local, global, heldElsewhere, deletions } = await index.records.both(name)
  if (global === undefined) return
  const { ignored } = ignore.match(name)
  const step = planBookkeeping({ local, global, heldElsewhere, ignored, collects }, tree.ignoresPermissions)
  if (step.kind === 'keep') return
  if (step.kind === 'ignore') return records.add(ignoredGlobal(global), local)
  if (step.kind === 'collect') {
    // A file that was changed since the last scan is scanned first; the step implies a local record.
    return await collectFile(parts, local!, jointDeletion(global, deletions)).catch((error: unknown) => {
      if (!isItemFailure(error)) throw error
    })
  }
  records.add(adoptedRecord(jointDeletion(global, deletions), diskTimeOf(local ?? global)), local)
}
