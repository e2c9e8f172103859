import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '../../../core/errors.ts'

/**
 * Creates a directory and its missing parents. Not `mkdir` with `recursive`, which tries forever where a file system
 * reports a missing parent although it exists, as /proc does.
 */
export async function makeDirectories(path: string, permissions: number): Promise<void> {
  try {
    await mkdir(path, { mode: permissions })
  } catch (error) {
    if (await isDirectory(path)) return
    const parent = dirname(path)
    if (systemCode(error) !== 'ENOENT' || parent === path || (await isDirectory(parent))) throw error
    await makeDirectories(parent, permissions)
    await mkdir(path, { mode: permissions }).catch(async (again: unknown) => {
      if (!(await isDirectory(path))) throw again // another process may have created it
    })
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
