import { readFileSync } from 'node:fs'

/** A look takes some microseconds. */
const LOOK_EVERY_MS = 50
const DROP_EVERY_MS = 500
/** When new work begins, what only its beginning uses comes back within this, and makes the peak. */
const DROP_MUCH_MS_MIN = 100
/** A smaller process is spared the page faults. */
const RESIDENT_BYTES_MIN = 80 * 1_024 * 1_024
/** What is used all the time is mapped again at once. */
const FILE_BYTES_MIN = 24 * 1_024 * 1_024
const MUCH_FILE_BYTES = 32 * 1_024 * 1_024

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
  #nextLookMs = 0
  #droppedMs = Number.NEGATIVE_INFINITY
  /** Doubled while much comes back each time: it is in use. */
  #muchMs = DROP_MUCH_MS_MIN

  constructor({ drop, nowMs = () => performance.now(), resident = residentNow }: PageDropsOptions) {
    this.#drop = drop
    this.#nowMs = nowMs
    this.#resident = resident
  }

  /** To be called often while there is work; an idle process needs no timer for it. */
  worked(): void {
    const nowMs = this.#nowMs()
    if (nowMs < this.#nextLookMs) return
    this.#nextLookMs = nowMs + LOOK_EVERY_MS
    const sinceMs = nowMs - this.#droppedMs
    const isDue = sinceMs >= DROP_EVERY_MS
    if (!isDue && sinceMs < this.#muchMs) return
    const { bytes, ofFilesBytes } = this.#resident()
    if (bytes < RESIDENT_BYTES_MIN || ofFilesBytes < (isDue ? FILE_BYTES_MIN : MUCH_FILE_BYTES)) return
    this.#droppedMs = nowMs
    this.#muchMs = isDue ? DROP_MUCH_MS_MIN : 2 * this.#muchMs
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
