import { join, resolve, sep } from 'node:path'
import { plainWindowsPath } from '../windows-names.ts'
import type { FolderConfig } from './config.ts'

/**
 * The absolute path of a folder's root. A leading tilde is the user's home; relative paths start at the working
 * directory, as with Syncthing. An empty path stays empty and is rejected by the disk.
 */
export function folderRoot({ path }: Pick<FolderConfig, 'path'>, userHome: string): string {
  if (path.trim() === '') return ''
  if (path === '~') return resolve(userHome)
  if (path.startsWith('~/') || path.startsWith('~\\')) return join(resolve(userHome), path.slice(2))
  return resolve(sep === '\\' ? plainWindowsPath(path) : path)
}
