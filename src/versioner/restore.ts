import { systemCode } from '../core/errors.ts'
import { compactTime } from '../core/formats/local-time.ts'
import { baseOf, isCanonical, isReserved, joinPath, parentOf, temporaryName } from '../core/paths.ts'
import { versionName } from '../core/records/version-names.ts'
import type { Disk } from '../platform/disk.ts'
import { moveNew, removeIfThere } from './moves.ts'
import type { VersionPlace } from './types.ts'
import { refused, type VersionsDirectory } from './versions-directory.ts'

export interface RestoreDeps {
  readonly disk: Disk
  readonly fsync: boolean
  readonly versions: VersionsDirectory
  readonly place: VersionPlace
}

/**
 * Restores a version under its file's name, and resolves with its size. Its directory is held open, so that it cannot
 * be swapped meanwhile.
 */
export async function restoreVersion(deps: RestoreDeps, name: string, versionMs: number): Promise<number> {
  const { disk, fsync, place, versions } = deps
  if (!isCanonical(name) || isReserved(name)) throw refused('invalid file name')
  const version = await findVersion(versions, name, Math.floor(versionMs / 1_000) * 1_000)
  if (version === undefined) throw refused('version not found')
  await using source = await versions.hold(version)
  const from = joinPath(source.path, baseOf(version))
  const { sizeBytes } = await disk.lstat(from)
  await place.restore(name, {
    moveTo: (path, mayReplace) => (mayReplace ? replace(deps, from, path) : moveNew(disk, from, path, fsync)),
    onDurable: async () => void (fsync && (await disk.syncDirectory(versions.path(parentOf(version))))),
  })
  return sizeBytes
}

/** Replaces atomically. */
async function replace({ disk, fsync }: RestoreDeps, from: string, to: string): Promise<void> {
  try {
    await disk.rename(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    const temporary = temporaryName(to, 'linux')
    await removeIfThere(disk, temporary)
    await moveNew(disk, from, temporary, fsync)
    await disk.rename(temporary, to)
  }
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
