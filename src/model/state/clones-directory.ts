import { systemCode } from '../../core/errors.ts'
import { joinPath } from '../../core/paths.ts'
import type { Disk } from '../../platform/disk.ts'

/** In a folder. Below the marker, which nothing synchronizes, lists or cleans up. */
export const CLONES_PATH = '.stfolder/twinfold-clones'

/** Removes the clones of a folder's files, if there are any. Symlinks are not followed. */
export async function removeClones(disk: Disk, root: string): Promise<void> {
  const top = joinPath(root, CLONES_PATH)
  if ((await typeAt(disk, top)) !== 'directory') return
  for (const { name } of await disk.list(top)) {
    const path = joinPath(top, name)
    if ((await typeAt(disk, path)) === 'directory') {
      for (const file of await disk.list(path)) await disk.removeFile(joinPath(path, file.name))
      await disk.removeDirectory(path)
    } else await disk.removeFile(path)
  }
  await disk.removeDirectory(top)
}

async function typeAt(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return (await disk.lstat(path)).type
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
