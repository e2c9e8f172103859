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
  | 'open' | 'read' | 'write' | 'truncate' | 'sync' | 'close'
  | 'stat' | 'list' | 'mkdir' | 'unlink' | 'rmdir' | 'rename' | 'copy' | 'link' | 'symlink' | 'readlink'
  | 'chmod' | 'chown' | 'utime' | 'syncDirectory' | 'space' | 'realpath' | 'lock'

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

/** Every call after the power went: the program that made it is gone, so nobody can act on it. */
export const POWER_OFF = 'EPOWEROFF'

/** Decides, call by call, what goes wrong. Counts calls, so that a test can go through all of them. */
export class SimFaults {
  #count = 0
  #powerOffAt = Number.POSITIVE_INFINITY
  #faults: { readonly fault: DiskFault; seen: number }[] = []

  get callCount(): number {
    return this.#count
  }

  get powered(): boolean {
    return this.#count < this.#powerOffAt
  }

  add(fault: DiskFault): void {
    this.#faults.push({ fault, seen: 0 })
  }

  clear(): void {
    this.#faults = []
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
      if (fault.under !== undefined && path !== fault.under && !path.startsWith(`${fault.under}/`)) continue
      entry.seen++
      const first = fault.nth ?? 1
      if (entry.seen >= first && entry.seen < first + (fault.times ?? 1)) throw diskError(fault.code, call, path)
    }
  }
}
