import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { TwinfoldError } from '../core/errors.ts'

/** The variables that images of other programs have, too. */
export interface ContainerUser {
  readonly uid: number
  readonly gid: number
  /** Undefined: that of the system. */
  readonly umask: number | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_ID = 1_000
const DEFAULT_HOME = '/var/lib/twinfold'
const ID_MAX = 2 ** 32 - 2

/** Who runs the daemon: `PUID`, `PGID` and `UMASK`. */
export function readContainerUser(env: Environment): ContainerUser {
  const umask = env['UMASK'] ?? ''
  if (umask !== '' && !/^[0-7]{1,4}$/.test(umask))
    throw new TwinfoldError('usage', `UMASK=${umask} is not an octal number such as 022`)
  return {
    uid: idOf(env, 'PUID'),
    gid: idOf(env, 'PGID'),
    umask: umask === '' ? undefined : Number.parseInt(umask, 8),
  }
}

function idOf(env: Environment, name: 'PUID' | 'PGID'): number {
  const text = env[name] ?? ''
  if (text === '') return DEFAULT_ID
  if (/^\d{1,10}$/.test(text) && Number(text) <= ID_MAX) return Number(text)
  throw new TwinfoldError('usage', `${name}=${text} is not the number of a user or group`)
}

/** The home: as given, or the directory that was mounted where images of Syncthing have theirs. */
export function containerHome(env: Environment, exists: (path: string) => boolean = existsSync): string {
  const given = env['STHOMEDIR'] ?? ''
  if (given !== '') return given
  if (exists('/config')) return '/config'
  return exists('/var/syncthing') ? '/var/syncthing/config' : DEFAULT_HOME
}

/**
 * Becomes that user with that home, for good. A process that is not root stays who it is, and says so where another
 * user was asked for.
 */
export function becomeUser(env: Environment, { uid, gid, umask }: ContainerUser, home: string): readonly string[] {
  if (umask !== undefined) process.umask(umask)
  const [own, ownGroup] = [process.getuid?.(), process.getgid?.()]
  if (own !== 0) {
    const isOther = [env['PUID'] ?? `${own}`, env['PGID'] ?? `${ownGroup}`].join() !== [own, ownGroup].join()
    const remedy = `start the container as root for that, or with user: "${uid}:${gid}"`
    return isOther ? [`PUID and PGID are not used, because the container runs as ${own}:${ownGroup}; ${remedy}`] : []
  }
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const { uid: owner, gid: group } = statSync(home)
  if (owner !== uid || group !== gid) chownSync(home, uid, gid)
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
  return []
}

/** A line for a `TZ` that Node ignores without a message. */
export function unknownTimeZone(env: Environment): readonly string[] {
  const timeZone = env['TZ'] ?? ''
  try {
    if (timeZone !== '') new Date().toLocaleString('en', { timeZone })
    return []
  } catch {
    return [`TZ=${timeZone} is not the name of a time zone such as Europe/Berlin: times are those of UTC`]
  }
}

/** Places of the system, which belong to root in every container. */
const SYSTEM = /^\/(?:proc|sys|dev|etc|run|usr|s?bin|lib\d*|tmp)(?:\/|$)|^\/$/

/** A line for every mounted directory that belongs to another user: nothing could be written to it. */
export function foreignMounts(
  uid: number,
  mountInfo: string = readMounts(),
  ownerOf: (path: string) => { readonly uid: number; readonly gid: number } | undefined = readOwner,
): readonly string[] {
  if (uid === 0) return []
  const paths = mountInfo.split('\n').flatMap((line) => unescaped(line.split(' ')[4]) ?? [])
  return [...new Set(paths)].flatMap((path) => {
    const owner = SYSTEM.test(path) ? undefined : ownerOf(path)
    if (owner === undefined || owner.uid === uid) return []
    const remedy = `set PUID=${owner.uid} and PGID=${owner.gid}, or change the owner of the directory`
    return [`${path} belongs to ${owner.uid}:${owner.gid} and this daemon runs as ${uid}: ${remedy}`]
  })
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

/** Spaces and the like are octal numbers in the list. */
function unescaped(path: string | undefined): string | undefined {
  return path?.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}

function readOwner(path: string): { readonly uid: number; readonly gid: number } | undefined {
  try {
    const stat = statSync(path)
    return stat.isDirectory() ? stat : undefined
  } catch {
    return undefined // not visible to us
  }
}
