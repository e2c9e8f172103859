import { closeSync, fstatSync, openSync } from 'node:fs'
import { chmod, constants, copyFile, lchmod, lstat } from 'node:fs/promises'
import { checkPath } from '../../disk-error.ts'
import { O_PATH } from './held-directory.ts'
import { refuseOddities, refuseSymlink, symlinkRefused } from './refusals.ts'

/** Copies a file, never through a symlink. `how` is a flag of `copyFile`. */
export async function copyItself(from: string, to: string, permissions: number, how: number): Promise<void> {
  checkPath(from, 'copyfile')
  checkPath(to, 'copyfile')
  const stats = await lstat(from, { bigint: true })
  if (stats.isSymbolicLink()) throw symlinkRefused('copyfile', from)
  refuseOddities(stats, from)
  await copyFile(from, to, constants.COPYFILE_EXCL | how)
  await chmodItself(to, permissions)
}

/**
 * The system's chmod follows symlinks: one created between the check and the call would change a file elsewhere. On
 * Linux the item is held open, checked and changed by descriptor.
 */
export async function chmodItself(path: string, mode: number): Promise<void> {
  if (process.platform !== 'linux') {
    await refuseSymlink(path, 'chmod')
    return process.platform === 'darwin' ? lchmod(path, mode) : chmod(path, mode)
  }
  // Only looks the name up: in a thread each of these calls takes ten times as long.
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    if (fstatSync(descriptor).isSymbolicLink()) throw symlinkRefused('chmod', path)
    await chmod(`/proc/self/fd/${descriptor}`, mode)
  } finally {
    closeSync(descriptor)
  }
}
