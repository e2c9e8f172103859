import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '../../../core/errors.ts'
import { DiskError } from '../../disk-error.ts'

/**
 * Creates a directory and its missing parents. Not `mkdir` with `recursive`, which tries forever where a file system
 * reports a missing parent although it exists, as /proc does.
 */
export async function makeDirectories(path: string, permissions: number): Promise<void> {
  try {
    await mkdir(path, { mode: permissions })
  } catch (error) {
    const found = await typeOf(path)
    if (found === 'directory') return
    if (found === 'loop') throw new DiskError('ELOOP', 'too many symbolic links', 'mkdir', path)
    // It exists, and nothing is there: a symlink to a missing item.
    if (systemCode(error) === 'EEXIST' && found === 'nothing') throw notADirectory(path)
    const parent = dirname(path)
    if (systemCode(error) !== 'ENOENT' || parent === path || (await typeOf(parent)) === 'directory') throw error
    await makeDirectories(parent, permissions).catch((reason: unknown) => {
      throw systemCode(reason) === 'EEXIST' ? notADirectory(path) : reason
    })
    await mkdir(path, { mode: permissions }).catch(async (again: unknown) => {
      if ((await typeOf(path)) !== 'directory') throw again // another process may have created it
    })
  }
}

function notADirectory(path: string): DiskError {
  return new DiskError('ENOTDIR', 'not a directory', 'mkdir', path)
}

async function typeOf(path: string): Promise<'directory' | 'other' | 'nothing' | 'loop'> {
  return stat(path).then(
    (found) => (found.isDirectory() ? 'directory' : 'other'),
    (error: unknown) => (systemCode(error) === 'ELOOP' ? 'loop' : 'nothing'),
  )
}
