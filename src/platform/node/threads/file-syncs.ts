import { fsync } from 'node:fs'
import { detach } from '../../../core/errors.ts'
import { CommonSync } from '../disk/common-sync.ts'

/** Syncs of single files at a time: fewer than the threads of libuv, so that other calls do not wait for them. */
const SINGLE_AT_ONCE = 48
/** Fewer files are synced one by one: each of them is done as soon as it is durable itself. */
const TOGETHER_MIN = 8
/** Each holds an open file. */
const OPEN_MAX = 192

/** A file whose content is written, and must be durable before it is renamed. */
export interface WrittenFile {
  readonly descriptor: number
  /** The file system that it is in. */
  readonly deviceId: number
}

interface Waiting {
  readonly file: WrittenFile
  readonly done: (error: Error | null) => void
}

/**
 * Syncs files. While one sync runs, others gather; many of one file system are synced together by one call: for each by
 * itself, the threads that wait for the disk take as much processor time as everything else that a small file needs.
 */
export class FileSyncs {
  readonly #common: Pick<CommonSync, 'maySync' | 'sync'>
  #waiting: Waiting[] = []
  #singles = 0
  #together = 0
  #isScheduled = false

  constructor(common: Pick<CommonSync, 'maySync' | 'sync'> = new CommonSync()) {
    this.#common = common
  }

  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Whether another file may be opened. */
  get hasRoom(): boolean {
    return this.#open < OPEN_MAX
  }

  get #open(): number {
    return this.#waiting.length + this.#singles + this.#together
  }

  /** Calls `done` later, with the error of the file, or with null when its content is durable. */
  add(file: WrittenFile, done: (error: Error | null) => void): void {
    this.#waiting.push({ file, done })
    if (this.#isScheduled) return
    this.#isScheduled = true
    // Files that are written in this turn are one group.
    setImmediate(() => {
      this.#isScheduled = false
      this.#begin()
    })
  }

  #begin(): void {
    if (this.#together > 0) return
    const { deviceId } = this.#waiting[0]?.file ?? {}
    const same = this.#waiting.filter(({ file }) => file.deviceId === deviceId)
    const [first] = same
    if (first !== undefined && same.length >= TOGETHER_MIN && this.#common.maySync(first.file)) {
      this.#waiting = this.#waiting.filter((each) => !same.includes(each))
      detach(this.#syncTogether(first.file, same))
    } else this.#syncSingles()
  }

  async #syncTogether(first: WrittenFile, files: readonly Waiting[]): Promise<void> {
    this.#together = files.length
    const isDurable = await this.#common.sync(first)
    this.#together = 0
    // Where something failed, each file reports whether it was that one.
    if (isDurable) for (const { done } of files) done(null)
    else this.#waiting = this.#waiting.concat(files)
    if (isDurable) this.#begin()
    else this.#syncSingles()
  }

  #syncSingles(): void {
    while (this.#singles < SINGLE_AT_ONCE) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#singles++
      fsync(next.file.descriptor, (error) => {
        this.#singles--
        next.done(error)
        this.#begin()
      })
    }
  }
}
