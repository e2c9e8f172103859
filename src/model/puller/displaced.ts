import type { DiskItem } from '../../core/records/change.ts'
import { shortIdOf } from '../../core/device-id.ts'
import { isMissing } from '../../core/errors.ts'
import { asideName } from '../../core/paths.ts'
import { renameToConflictName } from '../../platform/files/conflict-name.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { pathOf, type PullContext } from './context.ts'

const RANDOM_BYTES = 8

/**
 * Puts the item at path `from` in the place of `to`, and checks the displaced item afterwards, which is then out of the
 * reach of users. Resolves with its path when it is not the expected one: it was changed in the instant of the
 * replacement. Otherwise it is removed. Where items cannot be exchanged, such a change is lost.
 */
export async function replaceByExchange(
  context: PullContext,
  from: string,
  to: string,
  expected: DiskItem,
): Promise<string | undefined> {
  const { disk } = context.platform
  const aside = newAsideName(context, to)
  await disk.rename(from, aside)
  try {
    if (!(await isExchanged(context, aside, to))) return undefined
  } catch (error) {
    await disk.rename(aside, from).catch(() => {}) // the first error is reported
    throw error
  }
  if (!(await isExpected(context, aside, expected))) return aside
  // As a temporary file it is removed later.
  await disk.removeFile(aside).catch(() => disk.rename(aside, from).catch(() => {}))
  return undefined
}

/** False where the item has its place and has displaced none. */
async function isExchanged({ platform: { disk } }: PullContext, aside: string, to: string): Promise<boolean> {
  try {
    if (await disk.exchange(aside, to)) return true
    await disk.rename(aside, to)
  } catch (error) {
    if (!isMissing(error)) throw error
    await disk.renameNew(aside, to) // the item was removed in this instant
  }
  return false
}

/** Random, to differ from all others. */
export function newAsideName({ platform: { random } }: PullContext, name: string): string {
  return asideName(name, Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex'))
}

/** False where it cannot be read. */
async function isExpected({ platform: { disk } }: PullContext, path: string, expected: DiskItem): Promise<boolean> {
  try {
    const { type, sizeBytes, modifiedS, modifiedNs, mode } = await disk.lstat(path)
    if (type !== expected.type) return false
    if (type === 'symlink') return (await disk.readSymlink(path)) === expected.symlinkTarget
    return (
      sizeBytes === expected.sizeBytes &&
      modifiedS === expected.modifiedS &&
      modifiedNs === expected.modifiedNs &&
      mode === expected.mode
    )
  } catch {
    return false
  }
}

/**
 * Keeps an item that was changed in the instant of its replacement as a conflict copy. Also where conflict copies are
 * disabled: the change is in no record yet. Where that fails the item gets its name back and the new one the path
 * `from` again.
 */
export async function keepDisplaced(context: PullContext, name: string, aside: string, from: string): Promise<void> {
  try {
    await renameToCopy(context, name, aside)
  } catch (error) {
    const undo = () => restore(context, name, aside, from)
    await context.parents.inside(name, undo).catch(() => {}) // the first error has the reason
    context.scanLater(name)
    throw error
  }
}

async function restore(context: PullContext, name: string, aside: string, from: string): Promise<void> {
  const { disk } = context.platform
  if (await disk.exchange(aside, pathOf(context, name))) await disk.rename(aside, from)
}

async function renameToCopy(context: PullContext, name: string, path: string): Promise<void> {
  const { clock, disk } = context.platform
  const rename = (to: string) => context.parents.inside(name, () => disk.renameNew(path, pathOf(context, to)))
  const naming = { name, author: shortIdOf(context.ownDevice), timeMs: clock.nowMs() }
  const copy = await renameToConflictName(naming, rename).catch((error: unknown) => {
    throw itemFailed(`keeping a changed file: ${diskReason(error)}`, { cause: error })
  })
  if (copy === undefined) throw itemFailed('keeping a changed file: all names are in use')
  context.scanLater(copy)
  context.onConflict?.()
}
