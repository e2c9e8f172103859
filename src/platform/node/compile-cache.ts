import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/**
 * Enables Node's compile cache, which halves the start time. The cache is executable code, so it is stored beside the
 * code or in a directory that only this user can write; with neither there is none.
 */
export function useCompileCache(packageRoot: string, environment: Readonly<Record<string, string | undefined>>): void {
  if (getCompileCacheDir() !== undefined) return // by the environment, or by the executable around us
  const root = resolve(packageRoot)
  const beside = isOfSystem(root) ? undefined : ownDirectory(join(root, 'node_modules', '.cache', 'twinfold'))
  const ofUser = userCache(process.platform, environment)
  const directory = beside ?? (ofUser === undefined ? undefined : ownDirectory(ofUser))
  if (directory !== undefined) enableCompileCache(directory)
}

/** A package manager removes from `/usr` what it has installed there, and no more; npm removes the whole package. */
export function isOfSystem(root: string): boolean {
  return root.startsWith('/usr/') && basename(dirname(root)) !== 'node_modules'
}

/** The cache of the user, where the system has it; undefined without one. */
export function userCache(
  platform: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const home = environment['HOME'] ?? ''
  const base =
    platform === 'win32'
      ? environment['LOCALAPPDATA']
      : environment['XDG_CACHE_HOME'] ||
        (home === '' ? undefined : join(home, platform === 'darwin' ? 'Library/Caches' : '.cache'))
  return base === undefined || base === '' ? undefined : join(base, 'twinfold', 'compiled')
}

/** Creates the directory if missing; undefined unless only this user can write to it and its parent. */
function ownDirectory(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return isOurs(path) && isOurs(dirname(path)) ? path : undefined
  } catch {
    return undefined // not writable: the start is slower without a cache
  }
}

function isOurs(path: string): boolean {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return false
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & WRITABLE_BY_OTHERS) === 0)
}
