import { isAbsolute, join } from 'node:path'
import type { Config, FolderConfig } from '../config/config.ts'
import { folderRoot } from '../config/folder-root.ts'
import { isPathWithin, pathKey } from '../paths.ts'
import type { MoveEntry } from './journal.ts'

/** The settings with the new path. Old versions that are kept inside the folder by an absolute path move along. */
export function withMovedFolder(
  config: Config,
  { folder, fromPath, toPath }: Pick<MoveEntry, 'folder' | 'fromPath' | 'toPath'>,
  userHome: string,
): Config {
  const [from, to] = [folderRoot({ path: fromPath }, userHome), folderRoot({ path: toPath }, userHome)]
  const moved = (each: FolderConfig): FolderConfig => {
    const { fsPath } = each.versioning
    const isInside =
      (isAbsolute(fsPath) || fsPath.startsWith('~')) && isPathWithin(pathKey(pathOf(fsPath, userHome)), pathKey(from))
    const versioning = isInside
      ? { ...each.versioning, fsPath: join(to, pathOf(fsPath, userHome).slice(from.length)) }
      : each.versioning
    return { ...each, path: toPath, versioning }
  }
  return { ...config, folders: config.folders.map((each) => (each.id === folder ? moved(each) : each)) }
}

function pathOf(path: string, userHome: string): string {
  return folderRoot({ path }, userHome)
}
