import { dirname, join } from 'node:path'
import { systemCode } from '../../core/errors.ts'
import type { Disk, DiskFile } from '../disk.ts'

/** Mode of a new file until its final mode is set: it may contain a secret. */
const PRIVATE = 0o600

/**
 * Replaces the content of `path` atomically: readers, also after a power loss at any moment, find the complete old or
 * new content. Resolves once the new one is durable. When it rejects, the old or the new content remains and no
 * temporary file, unless its removal fails too.
 *
 * `temporaryName` is a plain name in the same directory; a file of that name is treated as a leftover of a crash and
 * replaced, so writers of one path must be serialized. A symlink at `path` is replaced, never followed.
 */
export async function writeFileAtomically(
  disk: Disk,
  path: string,
  data: Uint8Array,
  permissions: number,
  temporaryName: string,
): Promise<void> {
  const directory = dirname(path)
  const temporary = join(directory, temporaryName)
  const file = await createReplacing(disk, temporary)
  try {
    try {
      await file.write(data, 0)
      if (permissions !== PRIVATE) await file.chmod(permissions)
      await file.sync() // before the rename: the name must never refer to content that is not durable
    } finally {
      await file.close()
    }
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.removeFile(temporary).catch(() => {}) // the first error is reported
    throw error
  }
  await disk.syncDirectory(directory)
}

async function createReplacing(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'create', PRIVATE)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    await disk.removeFile(path)
    return await disk.open(path, 'create', PRIVATE)
  }
}
