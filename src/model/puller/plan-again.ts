import type { FileHead } from '../../core/records/file-info.ts'
import { planStep, type Step } from '../../core/records/plan.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { PullContext } from './context.ts'

/** The step for an item by these records and the patterns of the pull; `heldElsewhere` as in `PlanCase`. */
export function stepOf(
  context: PullContext,
  local: FileHead | undefined,
  global: FileHead,
  heldElsewhere = false,
): Step {
  const { ignored } = context.ignore.match(global.name)
  const { ignoreDelete, type } = context.folder
  const { keepsConflicts } = FOLDER_POLICIES[type]
  return planStep({ local, global, heldElsewhere, ignored, ignoreDelete, keepsConflicts })
}

/**
 * Decides again, under the lock, about a file whose content has arrived: a scan may have recorded a local change since
 * the pull began. Undefined when the content is not to be written any more; otherwise the record that it replaces.
 */
export async function planAgain(
  context: PullContext,
  global: FileHead,
): Promise<{ readonly local: FileHead | undefined; readonly saveOurs: boolean } | undefined> {
  const local = await context.index.head('local', global.name)
  const step = stepOf(context, local, global)
  if (step.kind !== 'fetch' && step.kind !== 'metadata') return undefined
  context.counts.note(local, global)
  return { local, saveOurs: step.kind === 'fetch' && step.saveOurs }
}
