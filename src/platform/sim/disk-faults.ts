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

/** The calls of a disk, as named by faults. */
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
  | 'hide'
  | 'space'
  | 'realpath'
  | 'lock'

export interface DiskFault {
  readonly call: DiskCall | 'any'
  /** The system's code: `EIO`, `EACCES`, … */
  readonly code: string
  /** Which of the calls from now on, counted from 1; default: the first. */
  readonly nth?: number
  /** Number of consecutive calls; default: one. */
  readonly times?: number
  /** Only calls at this path or below it count. */
  readonly under?: string
}

/** Reads of open files that return corrupt data without an error. */
export type DiskRot = Pick<DiskFault, 'nth' | 'times' | 'under'>

/** Every call after the power loss. */
export const POWER_OFF = 'EPOWEROFF'

/** Injects faults by call. Counts calls, so that a test can iterate over all of them. */
export class SimFaults {
  #count = 0
  #powerOffAt = Number.POSITIVE_INFINITY
  #faults: { readonly fault: DiskFault; seen: number }[] = []
  #rot: { readonly rot: DiskRot; seen: number }[] = []
  /** Number of corrupt reads so far. */
  corruptReads = 0

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

  /** The `nth` call from now and all later ones fail. */
  powerOffAt(nth: number): void {
    this.#powerOffAt = this.#count + nth
  }

  powerOn(): void {
    this.#powerOffAt = Number.POSITIVE_INFINITY
  }

  /** To be called before each disk call takes effect. */
  check(call: DiskCall, path: string): void {
    this.#count++
    if (!this.powered) throw new DiskError(POWER_OFF, 'the power is off', call, path)
    for (const entry of this.#faults) {
      const { fault } = entry
      if (fault.call !== 'any' && fault.call !== call) continue
      if (isDue(entry, fault, path)) throw diskError(fault.code, call, path)
    }
  }

  /** Corrupts the data just read, if a fault applies. */
  spoil(read: Uint8Array, path: string): void {
    if (read.length === 0) return
    for (const entry of this.#rot) {
      if (!isDue(entry, entry.rot, path)) continue
      read[0]! ^= 0xff // there is one
      this.corruptReads++
    }
  }
}

/** Counts a call at this path and returns whether the fault applies. */
function isDue(counter: { seen: number }, { nth = 1, times = 1, under }: DiskRot, path: string): boolean {
  if (under !== undefined && path !== under && !path.startsWith(`${under}/`)) return false
  counter.seen++
  return counter.seen >= nth && counter.seen < nth + times
}
