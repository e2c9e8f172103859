import { dirname, join } from 'node:path'
import { systemCode } from '../../core/errors.ts'
import type { Disk, DiskFile } from '../disk.ts'

/** What a new file may be read by until it has its final mode: nobody but us, for it may hold a secret. */
const PRIVATE = 0o600

/**
 * Replaces the content of `path`: whoever looks, even after a loss of power at any moment, finds the old content or
 * the new, whole. Resolves once the new one would survive. When it rejects, the old or the new content stands and no
 * temporary file is left, unless the disk refuses even to remove one.
 *
 * `temporaryName` is a plain name in the same directory; a file of that name is taken for the remains of a crash and
 * replaced, so two writers of one path must take turns. A symlink at `path` is replaced, never followed.
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
  const file = await createAfresh(disk, temporary)
  try {
    try {
      await file.write(data, 0)
      if (permissions !== PRIVATE) await file.chmod(permissions)
      await file.sync() // before the rename: a name must never lead to content that is not there yet
    } finally {
      await file.close()
    }
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.removeFile(temporary).catch(() => {}) // the first error is the one that explains
    throw error
  }
  await disk.syncDirectory(directory)
}

async function createAfresh(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'create', PRIVATE)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    await disk.removeFile(path)
    return await disk.open(path, 'create', PRIVATE)
  }
}
