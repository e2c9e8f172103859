import { basename, dirname } from 'node:path'
import type { FolderConfig } from '../core/config/config.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import { systemCode } from '../core/errors.ts'
import { isPathWithin, joinPath, pathKey } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'

/** The directories of a home, whose keys no other device may receive. */
export interface ProtectedHome {
  readonly directories: readonly string[]
  readonly userHome: string
}

/** The folders that contain a directory of the home, also by way of a symlink. */
export async function foldersAroundHome(
  disk: Pick<Disk, 'realPath'>,
  folders: readonly FolderConfig[],
  { directories, userHome }: ProtectedHome,
): Promise<readonly FolderConfig[]> {
  if (folders.length === 0) return []
  const homes = await Promise.all(directories.map((directory) => realPathOf(disk, directory)))
  const around: FolderConfig[] = []
  for (const folder of folders) {
    const root = folderRoot(folder, userHome)
    if (root === '') continue
    const real = await realPathOf(disk, root)
    if (homes.some((home) => isPathWithin(pathKey(home), pathKey(real)))) around.push(folder)
  }
  return around
}

/** Of what exists; the rest of the path is taken as it is. */
export async function realPathOf(disk: Pick<Disk, 'realPath'>, path: string): Promise<string> {
  try {
    return await disk.realPath(path)
  } catch (error) {
    const parent = dirname(path)
    if (systemCode(error) !== 'ENOENT' || parent === path) return path
    return joinPath(await realPathOf(disk, parent), basename(path))
  }
}
