import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { temporaryName } from '../../core/paths.ts'
import { planStep } from '../../core/records/plan.ts'
import type { DiskStat } from '../../platform/disk.ts'
import { adopted, itemFailed, type PullContext } from './context.ts'
import { hasPermissions } from './make.ts'
import { putInPlace } from './replace.ts'
import { MODIFIED, checkTarget } from './target.ts'
import type { TempFile } from './temp-file.ts'

/**
 * Puts a complete temporary file in the place of what was there. Whoever looks finds the old content or the new, whole.
 * Mode and time are set before: the moment the name leads to the new content, everything about it is right.
 */
export async function finishFile(
  context: PullContext,
  global: FileInfo,
  temp: TempFile,
  signal: AbortSignal,
): Promise<void> {
  const fsync = !context.folder.disableFsync
  // A large file takes its time to reach the disk, and nobody who wants to scan waits for that.
  if (fsync && global.sizeBytes > global.blockSizeBytes) await temp.file.sync()
  using _turn = await context.turn.shared(signal)
  // A scan may have had its turn since the pull began, and the user the file: decide again, on what is known now.
  const { name } = global
  const local = await context.index.head('local', name)
  const ignored = context.ignore.match(name).ignored
  const step = planStep({ local, global, ignored, ignoreDelete: false })
  if (step.kind !== 'fetch' && step.kind !== 'metadata') {
    await context.platform.disk.removeFile(temp.path)
    return
  }
  context.counts.note(local, global)
  await context.parents.checkOpen(temporaryName(name, context.platform.system.platform), temp.file)
  const stat = await seal(context, global, temp)
  await replaceTarget(context, { global, local, saveOurs: step.kind === 'fetch' && step.saveOurs }, temp)
  context.records.add(adopted(global, stat), true)
}

/**
 * Content, mode and time are made to last. Only in our turn: a scan that met a temporary file with the time of an old
 * one would take it for a leftover. Returns the file as the disk has it: it may keep coarser times than we set. */
async function seal(context: PullContext, global: FileInfo, temp: TempFile): Promise<DiskStat> {
  const { disk, system } = context.platform
  await disk.setModified(temp.path, global.modifiedS, global.modifiedNs)
  let stat = await temp.file.stat()
  if (stat.sizeBytes !== global.sizeBytes) throw itemFailed('finishing: temporary file has another size')
  // While we may write to it: that is what attributes ask for.
  if (context.attributes !== undefined)
    await giveAttributes(context.attributes, global, temp, temporaryName(global.name, system.platform))
  if (hasPermissions(context, global) && (stat.mode & 0o777) !== (global.permissions & 0o777)) {
    await temp.file.chmod(global.permissions & 0o777)
    stat = { ...stat, mode: global.permissions & 0o777 }
  }
  await context.owners.give(global, temp.file)
  if (!context.folder.disableFsync) await temp.file.sync()
  await temp.close()
  return stat
}

async function giveAttributes(
  attributes: NonNullable<PullContext['attributes']>,
  global: FileInfo,
  temp: TempFile,
  name: string,
): Promise<void> {
  // What an interrupted pull left may have those of an older version.
  await (temp.fresh ? attributes.giveNew(name, global) : attributes.giveAt(name, global))
}

async function replaceTarget(
  context: PullContext,
  { global, local, saveOurs }: Replacement,
  temp: TempFile,
): Promise<void> {
  const { name } = global
  const item = await checkTarget(context, name, local).catch((error: unknown) => {
    throw isModified(error) ? itemFailed(`checking existing file: ${MODIFIED}`, error) : error
  })
  await putInPlace(context, temp.path, { name, item, winner: saveOurs ? global : undefined })
}

interface Replacement {
  readonly global: FileInfo
  readonly local: FileHead | undefined
  readonly saveOurs: boolean
}

function isModified(error: unknown): boolean {
  return error instanceof Error && error.message === MODIFIED
}
