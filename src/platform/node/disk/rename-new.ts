import { link, lstat, rename, unlink } from 'node:fs/promises'
import { systemCode } from '../../../core/errors.ts'
import { DiskError } from '../../disk-error.ts'

/** The file system has no hard links, or none for us, or no more for this file. */
export const NO_LINK: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * Node cannot ask the system for a rename that replaces nothing, but a second name for a file is never given over an
 * existing one. A crash between the two steps leaves both names, which is for the caller to recognize.
 */
export async function renameNew(from: string, to: string): Promise<void> {
  const before = await lstat(from, { bigint: true })
  // Other systems than Linux give the second name to what a symlink leads to.
  const linkable = before.isSymbolicLink() ? process.platform === 'linux' : !before.isDirectory()
  if (linkable && (await linkUnlessUnsupported(from, to))) {
    const now = await lstat(from, { bigint: true })
    // Somebody saved the file under its old name meanwhile: that one stays too.
    if (now.ino === before.ino && now.dev === before.dev) await unlink(from)
    return
  }
  await refuseExisting(to)
  await rename(from, to)
}

async function linkUnlessUnsupported(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (NO_LINK.has(systemCode(error))) return false
    throw error
  }
}

async function refuseExisting(path: string): Promise<void> {
  try {
    await lstat(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  throw new DiskError('EEXIST', 'file already exists', 'rename', path)
}
