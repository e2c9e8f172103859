import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'

/** A process that runs a version, as the name of its file says: `VERSION-PID@HOST`. */
const USE = /^([0-9a-f]{32})-(\d+)@(.+)$/
const VERSION = /^([0-9a-f]{32})(?:-compiled)?$/
/** Left by a process that was ended while it unpacked. */
const TEMPORARY = /^new-/
const DAY_MS = 86_400_000
/** A process on another host that shares the directory cannot be asked for. */
const OTHER_HOST_MS = 30 * DAY_MS

/** Records that this process runs the version, until it ends. */
export function markUse(target: string): void {
  const directory = join(target, '..', 'uses')
  const file = join(directory, `${basename(target)}-${process.pid}@${thisHost()}`)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeFileSync(file, '', { mode: 0o600 })
    const now = new Date()
    utimesSync(target, now, now)
  } catch {
    return // a directory that cannot be written: nothing in it is removed either
  }
  process.once('exit', () => rmSync(file, { force: true }))
}

/** Removes versions that no process runs and that were not started for a day, and leftovers. */
export function removeUnused(target: string, nowMs: number): void {
  const directory = join(target, '..')
  const own = basename(target)
  try {
    const isOther = (name: string) => TEMPORARY.test(name) || (VERSION.exec(name)?.[1] ?? own) !== own
    const others = readdirSync(directory).filter(isOther)
    if (others.length === 0) return
    const used = usedVersions(join(directory, 'uses'), nowMs)
    for (const name of others) {
      if (used.has(name.replace(/-compiled$/, ''))) continue
      const path = join(directory, name)
      if (nowMs - lstatSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // The files of another version cost some space; the next start tries again.
  }
}

function usedVersions(directory: string, nowMs: number): ReadonlySet<string> {
  const used = new Set<string>()
  for (const name of readdirSync(directory)) {
    const [, version, processId, host] = USE.exec(name) ?? []
    const path = join(directory, name)
    const isRunning = host === thisHost() ? isAlive(Number(processId)) : nowMs - lstatSync(path).mtimeMs < OTHER_HOST_MS
    if (version !== undefined && isRunning) used.add(version)
    else rmSync(path, { force: true })
  }
  return used
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch {
    return false // of another user it cannot be: the directory is ours alone
  }
}

function thisHost(): string {
  return hostname().replace(/[^\w.-]/g, '_')
}
