import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'

/** What decides on the directory. */
export interface CacheOwner {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Of the account, whatever the environment names. */
  readonly userHome: string
  /** Undefined where files have no owner of that kind. */
  readonly userId: number | undefined
}

const WRITABLE_BY_OTHERS = 0o022
const WRITABLE_BY_ALL = 0o002
const STICKY = 0o1000
const REMEDY = 'or name another directory with TWINFOLD_CACHE_DIR'

/** The directory of unpacked programs, which only this user can write. Creates it if it is missing. */
export function findCacheDirectory(owner: CacheOwner): string {
  const base = chooseBase(owner)
  const directory = join(base, 'program')
  try {
    makeDirectories(directory)
  } catch (error) {
    throw new TwinfoldError(
      'refused',
      `the program cannot be unpacked: ${messageOf(error)}; make ${dirname(base)} writable, ${REMEDY}`,
      { cause: error },
    )
  }
  refuseForeign(dirname(base), owner, 'parent')
  refuseForeign(base, owner, 'own')
  refuseForeign(directory, owner, 'own')
  return directory
}

/** Step by step: the recursive call of Node does not end where nothing can be created, such as below /proc. */
function makeDirectories(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeDirectories(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

function chooseBase(owner: CacheOwner): string {
  const { environment, platform, userHome } = owner
  const named = environment['TWINFOLD_CACHE_DIR'] ?? ''
  if (named !== '') return resolve(named)
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] || join(userHome, 'AppData', 'Local'), 'twinfold', 'cache')
  const below = platform === 'darwin' ? 'Library/Caches' : '.cache'
  const places = [
    ...(platform === 'darwin' ? [] : [environment['XDG_CACHE_HOME'] ?? '']),
    ...[environment['HOME'] ?? '', userHome].map((home) => (home === '' ? '' : join(home, below))),
  ]
  const usable = places.filter((path) => isAbsolute(path)).map((path) => join(path, 'twinfold'))
  // sudo may keep HOME of the user who called it: what root creates there, that user could no longer replace.
  const base = usable.find((path) => isOurs(nearestExisting(path), owner)) ?? usable[0]
  if (base !== undefined) return base
  throw new TwinfoldError(
    'refused',
    'the program cannot be unpacked: this account has no home; name a directory with TWINFOLD_CACHE_DIR',
  )
}

function nearestExisting(path: string): Stats {
  for (let at = path; ; at = dirname(at)) {
    const stat = lstatSync(at, { throwIfNoEntry: false })
    if (stat !== undefined) return stat
  }
}

function isOurs({ uid }: Stats, { userId }: CacheOwner): boolean {
  return userId === undefined || uid === userId
}

function refuseForeign(path: string, owner: CacheOwner, role: 'own' | 'parent'): void {
  const stat = lstatSync(path)
  if (owner.userId === undefined) return
  if (role === 'parent') {
    if ((stat.mode & WRITABLE_BY_ALL) === 0 || (stat.mode & STICKY) !== 0) return
    throw refused(`everybody can replace what is in ${path}`, `run "chmod o-w ${path}"`)
  }
  if (!stat.isDirectory()) throw refused(`${path} is not a directory`, 'remove it')
  if (!isOurs(stat, owner)) throw refused(`${path} belongs to another user`, 'remove it')
  if ((stat.mode & WRITABLE_BY_OTHERS) !== 0)
    throw refused(`other users can write to ${path}`, `run "chmod 700 ${path}"`)
}

function refused(why: string, remedy: string): TwinfoldError {
  return new TwinfoldError('refused', `the program is not unpacked, because ${why}; ${remedy}, ${REMEDY}`)
}
