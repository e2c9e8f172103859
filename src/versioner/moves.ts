import { systemCode } from '../core/errors.ts'
import { temporaryName } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'

/**
 * Hard links are not possible across disks, on some file systems, or without permission: the content is copied then.
 */
const COPY_INSTEAD: ReadonlySet<string | undefined> = new Set([
  'EXDEV',
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
])

/**
 * Links or copies a file to an unused path. The target appears atomically, with time and mode. Rejects with `EEXIST`
 * where it exists.
 */
export async function linkOrCopy(disk: Disk, from: string, to: string, fsync: boolean): Promise<void> {
  try {
    await disk.linkNew(from, to)
  } catch (error) {
    if (!COPY_INSTEAD.has(systemCode(error))) throw error
    await copyWhole(disk, from, to, fsync)
  }
}

/** Moves a file to an unused path, also to another disk. An interruption loses no data. */
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
  const temporary = temporaryName(to, 'linux') // recognized on every platform
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
    await removeIfThere(disk, temporary).catch(() => {}) // the first error is reported
    throw error
  }
}

export async function removeIfThere(disk: Disk, path: string): Promise<void> {
  await disk.removeFile(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
}
