import { readFileSync } from 'node:fs'

/** A look takes some microseconds. */
const LOOK_EVERY_MS = 50
const DROP_EVERY_MS = 500
/** A smaller process is spared the page faults. */
const RESIDENT_BYTES_MIN = 80 * 1_024 * 1_024
/** What is used all the time is mapped again at once. */
const FILE_BYTES_MIN = 24 * 1_024 * 1_024

/** What is resident of a process, and of that what is unchanged from files. */
export interface Resident {
  readonly bytes: number
  readonly ofFilesBytes: number
}

export interface PageDropsOptions {
  /** Takes what the program has used of its executable out of the resident memory. */
  readonly drop: () => Promise<void>
  readonly nowMs?: () => number
  readonly resident?: () => Resident
}

/**
 * Limits what a process at work has resident of its executable. The kernel maps 64 KiB around each page that is used:
 * soon 45 to 50 MiB, of which half is not in use.
 */
export class PageDrops {
  readonly #drop: () => Promise<void>
  readonly #nowMs: () => number
  readonly #resident: () => Resident
  #nextMs = 0

  constructor({ drop, nowMs = () => performance.now(), resident = residentNow }: PageDropsOptions) {
    this.#drop = drop
    this.#nowMs = nowMs
    this.#resident = resident
  }

  /** To be called often while there is work; an idle process needs no timer for it. */
  worked(): void {
    const nowMs = this.#nowMs()
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + LOOK_EVERY_MS
    const { bytes, ofFilesBytes } = this.#resident()
    if (bytes < RESIDENT_BYTES_MIN || ofFilesBytes < FILE_BYTES_MIN) return
    this.#nextMs = nowMs + DROP_EVERY_MS
    this.#drop().catch(() => {}) // they stay
  }
}

/** `ofFilesBytes` is 0 where the system does not tell. */
export function residentNow(): Resident {
  const bytes = process.memoryUsage.rss()
  if (process.platform !== 'linux') return { bytes, ofFilesBytes: 0 }
  const [, pages = 0, ofFiles = 0] = readFileSync('/proc/self/statm', 'latin1').split(' ').map(Number)
  return { bytes, ofFilesBytes: pages === 0 ? 0 : bytes * (ofFiles / pages) }
}
