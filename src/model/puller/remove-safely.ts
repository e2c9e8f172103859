import { shortIdOf } from '../../core/device-id.ts'
import { isMissing, systemCode } from '../../core/errors.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { renameToConflictName } from '../../platform/files/conflict-name.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { newAsideName } from './displaced.ts'
import { isAsRecorded, modified, statItem } from './target.ts'

/**
 * Removes a file or symlink that matches our record; resolves also where it is missing. An item created in its place
 * meanwhile is kept.
 */
export async function removeSafely(context: PullContext, name: string, local: FileHead | undefined): Promise<void> {
  const aside = await moveAside(context, name, local)
  if (aside === undefined) return // renamed, archived or removed already
  try {
    await context.parents.inside(name, () => context.platform.disk.removeFile(pathOf(context, aside)))
  } catch (error) {
    await putBack(context, aside, name).catch(() => {}) // the first error is reported
    throw error
  }
}

/**
 * Renames a file or symlink to an unused name and checks it there: an edit at the last moment is detected, restored and
 * scanned, and the call rejects. Resolves with the name; undefined where the item is missing.
 */
export async function moveAside(
  context: PullContext,
  name: string,
  local: FileHead | undefined,
): Promise<string | undefined> {
  const { disk } = context.platform
  const aside = newAsideName(context, name)
  try {
    await context.parents.inside(name, () => disk.rename(pathOf(context, name), pathOf(context, aside)))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  if (isAsRecorded(context, await statItem(context, aside), local)) return aside
  await putBack(context, aside, name)
  context.scanLater(name)
  throw modified()
}

/** Under its own name or, where that is in use, as a conflict copy. */
export async function putBack(context: PullContext, aside: string, name: string): Promise<void> {
  const { clock, disk } = context.platform
  const rename = (to: string) =>
    context.parents.inside(name, () => disk.renameNew(pathOf(context, aside), pathOf(context, to)))
  try {
    return await rename(name)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const copy = await renameToConflictName({ name, author: shortIdOf(context.ownDevice), timeMs: clock.nowMs() }, rename)
  if (copy === undefined) throw itemFailed('putting back: all names are in use')
  context.scanLater(copy)
  context.onConflict?.()
}
