import { sep } from 'node:path'
import { systemCode } from '../core/errors.ts'
import { joinPath } from '../core/paths.ts'
import type { Disk, DiskFile, DiskStat } from '../world/disk.ts'

/** What the system says of a name that leads to no regular file: nothing to worry about, and nothing to read. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set([
  'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EMLINK',
])

export interface OpenedFile extends AsyncDisposable {
  readonly file: DiskFile
  readonly stat: DiskStat
}

/**
 * Opens a regular file of a folder for reading; undefined when the name leads to none, or leads there through a
 * symlink. Whoever swaps a directory for a symlink meanwhile gains nothing: the file is looked at again, by a path
 * without any symlink, after it was opened, and must be the one that is open.
 */
export async function openInside(disk: Disk, root: string, name: string): Promise<OpenedFile | undefined> {
  const path = joinPath(root, name)
  let file: DiskFile | undefined
  try {
    file = await disk.open(path, 'read')
    const stat = await file.stat()
    if (stat.type === 'file' && await isInside(disk, root, name, stat)) {
      const opened = file
      file = undefined
      return { file: opened, stat, [Symbol.asyncDispose]: () => opened.close() }
    }
    return undefined
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return undefined
    throw error
  } finally {
    await file?.close()
  }
}

async function isInside(disk: Disk, root: string, name: string, opened: DiskStat): Promise<boolean> {
  const real = joinPath((await disk.realPath(root)).replaceAll(sep, '/'), name)
  if ((await disk.realPath(joinPath(root, name))).replaceAll(sep, '/') !== real) return false
  const now = await disk.lstat(joinPath(root, name))
  return now.deviceId === opened.deviceId && now.inode === opened.inode
}
