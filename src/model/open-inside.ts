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
 * symlink. Whoever swaps a directory for a symlink meanwhile gains nothing: where the system tells, we ask where the
 * open file is; elsewhere the path is looked at again after opening.
 */
export async function openInside(disk: Disk, root: string, name: string): Promise<OpenedFile | undefined> {
  let file: DiskFile | undefined
  try {
    file = await disk.open(joinPath(root, name), 'read')
    const stat = await file.stat()
    if (stat.type !== 'file' || !await isInside(disk, root, name, { file, stat })) return undefined
    const opened = file
    file = undefined
    return { file: opened, stat, [Symbol.asyncDispose]: () => opened.close() }
  } catch (error) {
    if (NOT_THERE.has(systemCode(error))) return undefined
    throw error
  } finally {
    await file?.close()
  }
}

async function isInside(disk: Disk, root: string, name: string, opened: { file: DiskFile; stat: DiskStat }): Promise<boolean> {
  const expected = joinPath(slashed(await disk.realPath(root)), name)
  const actual = await opened.file.realPath?.()
  if (actual !== undefined) return actual === expected
  const path = joinPath(root, name)
  if (slashed(await disk.realPath(path)) !== expected) return false
  const now = await disk.lstat(path)
  return now.deviceId === opened.stat.deviceId && now.inode === opened.stat.inode
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/')
}
