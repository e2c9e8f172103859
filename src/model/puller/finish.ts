import { detailOf } from '../../core/errors.ts'
import { diskStampOf } from '../../core/records/disk-stamp.ts'
import { diskSizeOf, type DiskState, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { adopted, type PullContext } from './context.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { hasPermissions } from './make.ts'
import { planAgain } from './plan-again.ts'
import { putInPlace } from './replace.ts'
import { checkTarget, modified, statItem } from './target.ts'
import type { TempFile } from './temp-file.ts'

/**
 * Replaces the target with a complete temporary file atomically. Mode and time are set before the rename, so the new
 * file appears with its final metadata.
 */
export async function finishFile(
  context: PullContext,
  global: FileInfo,
  temp: TempFile,
  signal: AbortSignal,
  trailerBytes?: number,
): Promise<void> {
  const fsync = !context.folder.disableFsync
  // Syncing a large file takes long, so it is done before the lock is taken, which would block scans.
  if (fsync && global.sizeBytes > global.blockSizeBytes) await temp.file.sync()
  using _lock = await context.folderLock.shared(signal)
  const plan = await planAgain(context, global)
  if (plan === undefined) {
    await context.platform.disk.removeFile(temp.path)
    return
  }
  await context.parents.checkOpen(temporaryName(global.name, context.platform.system.platform), temp.file)
  const stat = await seal(context, global, temp, trailerBytes)
  await replaceTarget(context, { global, ...plan }, temp)
  const state = await stateInPlace(context, global.name, stat)
  context.records.add(adopted(global, { ...state, trailerBytes }), true)
}

/** The rename changed the stamp. A file that was edited since keeps the sealed state: a scan finds the edit. */
async function stateInPlace(context: PullContext, name: string, sealed: DiskStat): Promise<DiskState> {
  const { modifiedS, modifiedNs, sizeBytes } = sealed
  const now = await statItem(context, name).catch(() => undefined) // replaced already
  if (now === undefined || now === 'other' || now.inode !== sealed.inode) return { modifiedS, modifiedNs }
  const isSame = now.modifiedS === modifiedS && now.modifiedNs === modifiedNs && now.sizeBytes === sizeBytes
  return { modifiedS, modifiedNs, ...(isSame && { diskStamp: diskStampOf(now) }) }
}

/**
 * Makes content, mode and time durable. Requires the lock: a scan would remove a temporary file with an old time as a
 * leftover. Returns the stat of the file, whose time may be coarser than the one set.
 */
async function seal(
  context: PullContext,
  global: FileInfo,
  temp: TempFile,
  trailerBytes: number | undefined,
): Promise<DiskStat> {
  const { disk, system } = context.platform
  await disk.setModified(temp.path, global.modifiedS, global.modifiedNs)
  let stat = await temp.file.stat()
  if (stat.sizeBytes !== diskSizeOf({ ...global, trailerBytes }))
    throw itemFailed('finishing: temporary file has another size')
  // Attributes require write permission, so they are set before the mode.
  if (context.attributes !== undefined)
    await setAttributes(context.attributes, global, temp, temporaryName(global.name, system.platform))
  if (hasPermissions(context, global) && (stat.mode & 0o777) !== (global.permissions & 0o777)) {
    await temp.file.chmod(global.permissions & 0o777)
    stat = { ...stat, mode: global.permissions & 0o777 }
  }
  await context.owners.set(global, temp.file)
  if (!context.folder.disableFsync) await temp.file.sync()
  temp.sealed = stat
  await temp.close()
  return stat
}

async function setAttributes(
  attributes: NonNullable<PullContext['attributes']>,
  global: FileInfo,
  temp: TempFile,
  name: string,
): Promise<void> {
  // A reused temporary file may have the attributes of an older version.
  await (temp.fresh ? attributes.setNew(name, global) : attributes.setAt(name, global))
}

async function replaceTarget(
  context: PullContext,
  { global, local, saveOurs }: Replacement,
  temp: TempFile,
): Promise<void> {
  const { name } = global
  const item = await checkTarget(context, name, local).catch((error: unknown) => {
    throw detailOf(error) === 'modified' ? modified('checking existing file', error) : error
  })
  await putInPlace(context, temp.path, { name, item, next: global, saveOurs })
}

interface Replacement {
  readonly global: FileInfo
  readonly local: FileHead | undefined
  readonly saveOurs: boolean
}
