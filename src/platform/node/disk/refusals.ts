import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { DiskError } from '../../disk-error.ts'

/** Linux opens a directory for reading and fails at the first read; a pipe opens and reads as empty. */
export function refuseOddities(stats: BigIntStats, path: string): void {
  if (stats.isDirectory()) throw new DiskError('EISDIR', 'illegal operation on a directory', 'open', path)
  if (!stats.isFile()) throw new DiskError('EINVAL', 'not a regular file', 'open', path)
}

export async function refuseSymlink(path: string, call: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) throw symlinkRefused(call, path)
}

export function symlinkRefused(call: string, path: string): DiskError {
  return new DiskError('ELOOP', 'is a symbolic link', call, path)
}

/** Node does nothing on Windows and reports success. */
export function refuseOwners(call: string, path = ''): void {
  if (process.platform === 'win32') throw new DiskError('ENOSYS', 'not supported', call, path)
}
