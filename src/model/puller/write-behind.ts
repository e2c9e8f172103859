import type { DiskFile } from '../../platform/disk.ts'

const WRITE_BEHIND_BYTES = 16 * 1_024 * 1_024

/** Has the disk write a large file while it grows, so that there is little left to wait for at its end. */
export class WriteBehind {
  readonly #file: Pick<DiskFile, 'sync'>
  #newBytes = 0
  #busy = false
  /** Resolves when nothing is under way. */
  settled: Promise<void> = Promise.resolve()

  constructor(file: Pick<DiskFile, 'sync'>) {
    this.#file = file
  }

  wrote(sizeBytes: number): void {
    this.#newBytes += sizeBytes
    if (this.#busy || this.#newBytes < WRITE_BEHIND_BYTES) return
    this.#newBytes = 0
    this.#busy = true
    // What fails now fails again when the file is finished, and is told then.
    this.settled = this.#file
      .sync()
      .catch(() => {})
      .finally(() => void (this.#busy = false))
  }
}
