import { systemCode } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'

/** The maximum number of directories in one reply. */
const DIRECTORIES_MAX = 1_000
/** The maximum number of `stat` calls for one reply. */
const CANDIDATES_MAX = 10_000

export interface BrowseDeps {
  readonly disk: Pick<Disk, 'list' | 'stat'>
  readonly userHome: string
  readonly platform: string
}

/**
 * Directories whose path starts with the typed text: those in the same case first, each group sorted. An unreadable
 * directory has no entries; this never fails.
 */
export async function browseDisk(deps: BrowseDeps, typed: string): Promise<readonly string[]> {
  if (typed === '') return await roots(deps)
  const { directory, start } = splitTyped(deps, typed)
  const names = await validNames(deps, directory)
  const exact = names.filter((name) => name.startsWith(start))
  const lower = start.toLowerCase()
  const similar = names.filter((name) => !name.startsWith(start) && name.toLowerCase().startsWith(lower))
  const found: string[] = []
  for (const name of [...exact, ...similar].slice(0, CANDIDATES_MAX)) {
    const path = `${directory}${name}`
    if (await isDirectory(deps, path)) found.push(path)
    if (found.length >= DIRECTORIES_MAX) break
  }
  return found
}

/** The directory ends in a separator; `start` is the prefix of the names. */
function splitTyped(deps: BrowseDeps, typed: string): { readonly directory: string; readonly start: string } {
  const windows = deps.platform === 'win32'
  const path = windows ? typed.replaceAll('/', '\\') : typed
  const separator = windows ? '\\' : '/'
  const atHome = path === '~' || path.startsWith(`~${separator}`)
  const whole = atHome ? deps.userHome + (path === '~' ? separator : path.slice(1)) : path
  const cut = whole.lastIndexOf(separator) + 1
  return { directory: whole.slice(0, cut), start: whole.slice(cut) }
}

async function validNames({ disk }: BrowseDeps, directory: string): Promise<readonly string[]> {
  try {
    const names = await disk.list(directory)
    return names
      .filter(({ valid }) => valid)
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    return emptyIfRefused(error)
  }
}

async function isDirectory({ disk }: BrowseDeps, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path)).type === 'directory'
  } catch (error) {
    emptyIfRefused(error)
    return false
  }
}

/** A system error counts as missing; any other error is a bug. */
function emptyIfRefused(error: unknown): readonly never[] {
  if (systemCode(error) === undefined) throw error
  return []
}

async function roots(deps: BrowseDeps): Promise<readonly string[]> {
  if (deps.platform !== 'win32') return ['/']
  const drives = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`)
  const there = await Promise.all(drives.map((drive) => isDirectory(deps, drive)))
  return drives.filter((_drive, i) => there[i])
}
