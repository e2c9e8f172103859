import type { DiskFile } from '../../platform/disk.ts'

const WRITE_BEHIND_BYTES = 16 * 1_024 * 1_024

/** Starts write-back of a large file while it grows, so that the final sync is short. */
export class WriteBehind {
  readonly #file: Pick<DiskFile, 'sync'>
  #newBytes = 0
  #busy = false
  /** Resolves when no sync is running. */
  settled: Promise<void> = Promise.resolve()

  constructor(file: Pick<DiskFile, 'sync'>) {
    this.#file = file
  }

  wrote(sizeBytes: number): void {
    this.#newBytes += sizeBytes
    if (this.#busy || this.#newBytes < WRITE_BEHIND_BYTES) return
    this.#newBytes = 0
    this.#busy = true
    // An error now occurs again when the file is finished and is reported then.
    this.settled = this.#file
      .sync()
      .catch(() => {})
      .finally(() => void (this.#busy = false))
  }
}
