import { systemCode } from '../core/errors.ts'
import { compactTime } from '../core/formats/local-time.ts'
import { ancestorsOf, baseOf, isCanonical, isReserved, joinPath, parentOf, temporaryName } from '../core/paths.ts'
import { versionName } from '../core/records/version-names.ts'
import type { Disk, DiskStat } from '../platform/disk.ts'
import type { Parents } from '../platform/files/parents.ts'
import { moveNew, removeIfThere } from './moves.ts'
import type { KeptFile } from './types.ts'
import { refused, type VersionsDirectory } from './versions-directory.ts'

export interface RestoreDeps {
  readonly disk: Disk
  /** Of the folder; absolute. */
  readonly root: string
  readonly fsync: boolean
  readonly versions: VersionsDirectory
  readonly parents: Parents
  /** Archives the current file of this name. */
  keep(name: string): Promise<KeptFile>
}

/** Source and target by directories that are held open, so that they cannot be swapped meanwhile. */
interface RestorePaths {
  readonly from: string
  readonly to: string
  readonly directory: string
}

/** Restores a version under its file's name. The current file is archived first. */
export async function restoreVersion(deps: RestoreDeps, name: string, versionMs: number): Promise<void> {
  if (!isCanonical(name) || isReserved(name)) throw refused('invalid file name')
  const version = await findVersion(deps.versions, name, Math.floor(versionMs / 1_000) * 1_000)
  if (version === undefined) throw refused('version not found')
  await ensureParents(deps, name)
  await using place = await deps.parents.hold(name)
  await using source = await deps.versions.hold(version)
  const paths = {
    from: joinPath(source.path, baseOf(version)),
    to: joinPath(place.path, baseOf(name)),
    directory: place.path,
  }
  const current = await statIfThere(deps.disk, paths.to)
  if (current?.type === 'directory') throw refused('cannot restore on top of a directory')
  if (current?.type === 'other') throw refused('cannot restore on top of something that is not a file')
  const kept = current?.type === 'file' ? await putOver(deps, name, paths) : undefined
  if (kept === undefined) await putNew(deps, name, paths, current !== undefined)
  if (deps.fsync) {
    await deps.disk.syncDirectory(joinPath(deps.root, parentOf(name)))
    await deps.disk.syncDirectory(deps.versions.path(parentOf(version)))
  }
  await kept?.done() // surplus versions are removed only after the restored file is durable
}

/** New directories are made durable before the version moves there: a power loss would discard it with them. */
async function ensureParents({ disk, root, fsync, parents }: RestoreDeps, name: string): Promise<void> {
  const areThere = await parents.isReachable(name)
  await parents.ensure(name)
  if (areThere || !fsync) return
  for (const directory of ancestorsOf(name)) await disk.syncDirectory(joinPath(root, directory))
}

/** The path of a version: the time is in its name or is its modification time. */
async function findVersion(versions: VersionsDirectory, name: string, versionMs: number): Promise<string | undefined> {
  if (!(await versions.isUsable())) return undefined
  const tagged = versionName(name, compactTime(versionMs))
  for (const path of [tagged, name]) {
    const stat = await versions.stat(path)
    if (stat?.type !== 'file' || (path === name && stat.modifiedS * 1_000 !== versionMs)) continue
    await versions.checkParents(path)
    return path
  }
  return undefined
}

async function putNew(
  { disk, parents, fsync }: RestoreDeps,
  name: string,
  { from, to }: RestorePaths,
  isLink: boolean,
): Promise<void> {
  await parents.inside(name, async () => {
    if (isLink) await disk.removeFile(to)
    await moveNew(disk, from, to, fsync)
  })
}

async function putOver(deps: RestoreDeps, name: string, paths: RestorePaths): Promise<KeptFile> {
  const kept = await deps.keep(name)
  try {
    await deps.parents.inside(name, () => replace(deps, name, paths))
  } catch (error) {
    await kept.undo()
    throw error
  }
  return kept
}

/** Replaces atomically. */
async function replace(
  { disk, fsync }: RestoreDeps,
  name: string,
  { from, to, directory }: RestorePaths,
): Promise<void> {
  try {
    await disk.rename(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    const temporary = joinPath(directory, temporaryName(baseOf(name), 'linux'))
    await removeIfThere(disk, temporary)
    await moveNew(disk, from, temporary, fsync)
    await disk.rename(temporary, to)
  }
}

async function statIfThere(disk: Disk, path: string): Promise<DiskStat | undefined> {
  try {
    return await disk.lstat(path)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
    return undefined
  }
}
