import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/**
 * Lets Node keep the compiled form of our modules, which saves half of the time to start. The cache is code that will
 * be run, so it lives beside the code or in a directory that belongs to this user alone; with neither there is none.
 */
export function useCompileCache(packageRoot: string, environment: Readonly<Record<string, string | undefined>>): void {
  const directory = ownDirectory(join(packageRoot, 'node_modules', '.cache', 'twinfold')) ?? userDirectory(environment)
  if (directory !== undefined) enableCompileCache(directory)
}

function userDirectory(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = environment['HOME'] ?? ''
  const base =
    process.platform === 'win32'
      ? environment['LOCALAPPDATA']
      : environment['XDG_CACHE_HOME'] ||
        (home === '' ? undefined : join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache'))
  return base === undefined || base === '' ? undefined : ownDirectory(join(base, 'twinfold', 'compiled'))
}

/** The directory, made when missing; undefined unless it and the one around it are ours alone to write into. */
function ownDirectory(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return isOurs(path) && isOurs(dirname(path)) ? path : undefined
  } catch {
    return undefined // a place we may not write to: starting without a cache is slower, not wrong
  }
}

function isOurs(path: string): boolean {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return false
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & WRITABLE_BY_OTHERS) === 0)
}
