import { DiskError } from '../disk-error.ts'

const MESSAGES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EBUSY: 'resource busy',
  EEXIST: 'file already exists',
  EINVAL: 'invalid argument',
  EISDIR: 'illegal operation on a directory',
  ELOOP: 'is a symbolic link, or too many of them',
  ENAMETOOLONG: 'name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
}

export function diskError(code: string, call: string, path: string): DiskError {
  return new DiskError(code, MESSAGES[code] ?? 'failed', call, path)
}

/** What can be asked of a disk, as faults name it. */
export type DiskCall =
  | 'open'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'
  | 'stat'
  | 'list'
  | 'mkdir'
  | 'unlink'
  | 'rmdir'
  | 'rename'
  | 'copy'
  | 'link'
  | 'symlink'
  | 'readlink'
  | 'chmod'
  | 'chown'
  | 'utime'
  | 'syncDirectory'
  | 'space'
  | 'realpath'
  | 'lock'

export interface DiskFault {
  readonly call: DiskCall | 'any'
  /** The system's code: `EIO`, `EACCES`, … */
  readonly code: string
  /** Which of the calls from now on, counted from 1; the first unless told. */
  readonly nth?: number
  /** For how many calls in a row; one unless told. */
  readonly times?: number
  /** Only calls at this path or below it count. */
  readonly under?: string
}

/** Reads of open files that give other bytes than were written, and do not fail. */
export type DiskRot = Pick<DiskFault, 'nth' | 'times' | 'under'>

/** Every call after the power went: the program that made it is gone, so nobody can act on it. */
export const POWER_OFF = 'EPOWEROFF'

/** Decides, call by call, what goes wrong. Counts calls, so that a test can go through all of them. */
export class SimFaults {
  #count = 0
  #powerOffAt = Number.POSITIVE_INFINITY
  #faults: { readonly fault: DiskFault; seen: number }[] = []
  #rot: { readonly rot: DiskRot; seen: number }[] = []
  /** How many reads gave other bytes than were written, so far. */
  rottenReads = 0

  get callCount(): number {
    return this.#count
  }

  get powered(): boolean {
    return this.#count < this.#powerOffAt
  }

  add(fault: DiskFault): void {
    this.#faults.push({ fault, seen: 0 })
  }

  addRot(rot: DiskRot): void {
    this.#rot.push({ rot, seen: 0 })
  }

  clear(): void {
    this.#faults = []
    this.#rot = []
  }

  /** The `nth` call from now and all after it find no disk. */
  powerOffAt(nth: number): void {
    this.#powerOffAt = this.#count + nth
  }

  powerOn(): void {
    this.#powerOffAt = Number.POSITIVE_INFINITY
  }

  /** To be asked before each call has any effect. */
  check(call: DiskCall, path: string): void {
    this.#count++
    if (!this.powered) throw new DiskError(POWER_OFF, 'the power is off', call, path)
    for (const entry of this.#faults) {
      const { fault } = entry
      if (fault.call !== 'any' && fault.call !== call) continue
      if (isDue(entry, fault, path)) throw diskError(fault.code, call, path)
    }
  }

  /** Changes what was just read, if it is time for that. */
  spoil(read: Uint8Array, path: string): void {
    if (read.length === 0) return
    for (const entry of this.#rot) {
      if (!isDue(entry, entry.rot, path)) continue
      read[0]! ^= 0xff // there is one
      this.rottenReads++
    }
  }
}

/** Counts a call at this path, and tells whether it is one of those that were meant. */
function isDue(counter: { seen: number }, { nth = 1, times = 1, under }: DiskRot, path: string): boolean {
  if (under !== undefined && path !== under && !path.startsWith(`${under}/`)) return false
  counter.seen++
  return counter.seen >= nth && counter.seen < nth + times
}
