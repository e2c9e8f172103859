import { systemCode } from '../core/errors.ts'
import { temporaryName } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'

/** Another disk, or one without second names, or none for us: then the content is copied. */
const NO_SECOND_NAME: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
])

/**
 * Gives the content of a file a second place, where nothing may be yet. Whoever looks there finds nothing or all of it,
 * with its time and mode. `EEXIST` where something is there.
 */
export async function duplicate(disk: Disk, from: string, to: string, fsync: boolean): Promise<void> {
  try {
    await disk.linkNew(from, to)
  } catch (error) {
    if (!NO_SECOND_NAME.has(systemCode(error))) throw error
    await copyWhole(disk, from, to, fsync)
  }
}

/** Moves a file to a place where nothing may be yet, also to another disk. Nothing is lost, whenever it is cut short. */
export async function moveNew(disk: Disk, from: string, to: string, fsync: boolean): Promise<void> {
  try {
    await disk.renameNew(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    await copyWhole(disk, from, to, fsync)
    await disk.removeFile(from)
  }
}

async function copyWhole(disk: Disk, from: string, to: string, fsync: boolean): Promise<void> {
  const { mode, modifiedS, modifiedNs } = await disk.lstat(from)
  const temporary = temporaryName(to, 'linux') // the spelling that every platform knows for ours
  await removeIfThere(disk, temporary)
  try {
    await disk.copyNew(from, temporary, (mode & 0o777) | 0o600)
    await disk.setModified(temporary, modifiedS, modifiedNs)
    if (fsync) {
      await using file = await disk.open(temporary, 'read')
      await file.sync()
    }
    await disk.renameNew(temporary, to)
    await disk.chmod(to, mode & 0o777)
  } catch (error) {
    await removeIfThere(disk, temporary).catch(() => {}) // the first reason is the one that is told
    throw error
  }
}

export async function removeIfThere(disk: Disk, path: string): Promise<void> {
  await disk.removeFile(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
}
