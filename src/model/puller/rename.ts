import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { adopted, pathOf, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { applyMetadata } from './metadata.ts'
import { deletionRecord } from './remove.ts'
import { moveAside, putBack } from './remove-safely.ts'
import { putInPlace } from './replace.ts'
import { checkTarget, modified } from './target.ts'

/** A file that was deleted under one name and added under another with the same content. */
export interface Move {
  readonly from: { readonly local: FileHead; readonly global: FileInfo }
  readonly to: { readonly local: FileHead | undefined; readonly global: FileInfo }
  readonly saveOurs: boolean
}

/**
 * Renames a file instead of fetching it. Both names must match the index. Only for folders without versioning:
 * otherwise the old name is archived and the file fetched.
 */
export async function moveFile(context: PullContext, { from, to, saveOurs }: Move): Promise<void> {
  await context.parents.check(from.local.name)
  await checkTarget(context, from.local.name, from.local)
  await context.parents.ensure(to.global.name)
  const target = await checkTarget(context, to.global.name, to.local)
  if (target?.type === 'directory') throw itemFailed('a directory is not replaced by a rename')
  const replaced = { name: to.global.name, item: target, next: to.global, saveOurs }
  // Aside first: a replaced item must not get the old name for an instant, and an edit of the file is detected.
  const aside = await moveAside(context, from.local.name, from.local)
  if (aside === undefined) throw modified()
  await putInPlace(context, pathOf(context, aside), replaced).catch(async (error: unknown) => {
    await putBack(context, aside, from.local.name)
    throw error
  })
  const onDisk = await applyMetadata(context, to.global, from.local)
  context.records.add(adopted(to.global, onDisk), true)
  context.records.add(deletionRecord(from.global), true)
}
