import { link, lstat, rename, unlink } from 'node:fs/promises'
import { systemCode } from '../../../core/errors.ts'
import { DiskError } from '../../disk-error.ts'

/** Hard links are not supported, not permitted, or exhausted for this file. */
export const NO_LINK: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * Node has no rename without replacement, but creating a hard link never replaces. A crash between link and unlink
 * leaves both names, which the caller must detect.
 */
export async function renameNew(from: string, to: string): Promise<void> {
  const before = await lstat(from, { bigint: true })
  // Systems other than Linux link the target of a symlink.
  const linkable = before.isSymbolicLink() ? process.platform === 'linux' : !before.isDirectory()
  if (linkable && (await linkUnlessUnsupported(from, to))) {
    const now = await lstat(from, { bigint: true })
    // The file was replaced under its old name meanwhile: that one stays too.
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
