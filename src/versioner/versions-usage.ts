import { isMissing, messageOf } from '../core/errors.ts'
import { Mutex } from '../sync/mutex.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { VersionsUsed } from './types.ts'
import type { KeptEntry, VersionsDirectory } from './versions-directory.ts'

/** The oldest versions that are remembered; more are found by reading the directory again. */
const OLDEST_MAX = 10_000
/** The size of a disk is asked for at most this often. */
const SPACE_MS = 60_000

export interface VersionsUsageDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly disk: Pick<Disk, 'space'>
  readonly log: Logger
  readonly versions: VersionsDirectory
  /** When a version was archived. */
  keptMs(entry: KeptEntry): number
  /** Whether a version must not be removed yet: its file is still to be replaced. */
  isInUse(path: string): boolean
  /** The share of the disk that versions may have; 0 is unlimited. */
  percentMax(): number
}

/** A version that was just archived. */
export interface AddedVersion {
  readonly path: string
  readonly sizeBytes: number
}

/** A version that may be removed. */
interface Candidate extends AddedVersion {
  readonly keptMs: number
}

/**
 * What old versions occupy, counted once and kept up to date in memory, so that a folder at rest needs no disk. Removes
 * the oldest ones where they exceed their share of the disk.
 */
export class VersionsUsage {
  readonly #deps: VersionsUsageDeps
  readonly #lock = new Mutex()
  #counted: { files: number; sizeBytes: number } | undefined
  /** The oldest at the end. */
  #oldest: Candidate[] = []
  #space: { readonly readMs: number; readonly totalBytes: number } | undefined

  constructor(deps: VersionsUsageDeps) {
    this.#deps = deps
  }

  added(sizeBytes: number): void {
    this.#change(1, sizeBytes)
  }

  removed(sizeBytes: number): void {
    this.#change(-1, -sizeBytes)
  }

  #change(files: number, sizeBytes: number): void {
    if (this.#counted === undefined) return
    this.#counted.files += files
    this.#counted.sizeBytes += sizeBytes
  }

  /** A listing of all versions corrects what was changed by other programs. */
  count(entries: readonly KeptEntry[]): void {
    const { isInUse } = this.#deps
    const sizeBytes = entries.reduce((sum, { stat }) => sum + stat.sizeBytes, 0)
    this.#counted = { files: entries.length, sizeBytes }
    this.#oldest = entries
      .filter(({ path }) => !isInUse(path))
      .map((entry) => this.#candidate(entry))
      .sort((a, b) => b.keptMs - a.keptMs)
      .slice(-OLDEST_MAX)
  }

  /** Reads the directory only the first time. */
  async used(signal: AbortSignal): Promise<VersionsUsed> {
    if (this.#counted === undefined) await this.#recount(signal)
    return { files: 0, sizeBytes: 0, ...this.#counted, maxBytes: await this.#maxBytes() }
  }

  /**
   * Removes the oldest versions until the others have at most their share of the disk. A version that alone exceeds it
   * goes first: it cannot stay, whatever else is removed.
   */
  async limit(signal: AbortSignal, added?: AddedVersion): Promise<void> {
    using _lock = await this.#lock.lock()
    const maxBytes = await this.#maxBytes()
    if (maxBytes === null) return
    if (this.#counted === undefined) await this.#recount(signal)
    if (added !== undefined && added.sizeBytes > maxBytes) await this.#remove(added)
    let isRecounted = false
    while (this.#counted !== undefined && this.#counted.sizeBytes > maxBytes) {
      signal.throwIfAborted()
      const next = this.#oldest.pop()
      const outcome = next === undefined ? 'unknown' : await this.#remove(next)
      if (outcome === 'removed') isRecounted = false
      else if (outcome === 'unknown') {
        if (isRecounted) return // nothing of what is there can be removed
        await this.#recount(signal)
        const [large = [], others = []] = [true, false].map((isLarge) =>
          this.#oldest.filter(({ sizeBytes }) => sizeBytes > maxBytes === isLarge),
        )
        this.#oldest = [...others, ...large]
        isRecounted = true
      }
    }
  }

  #candidate(entry: KeptEntry): Candidate {
    return { path: entry.path, keptMs: this.#deps.keptMs(entry), sizeBytes: entry.stat.sizeBytes }
  }

  /** `unknown` where the version is missing, so that the count may be wrong; `stays` where it must or does stay. */
  async #remove({ path, keptMs }: AddedVersion & Partial<Candidate>): Promise<'removed' | 'stays' | 'unknown'> {
    const { isInUse, log, versions } = this.#deps
    try {
      const stat = await versions.stat(path)
      if (stat === undefined) return 'unknown'
      if (stat.type !== 'file' || isInUse(path)) return 'stays'
      if (keptMs !== undefined && this.#deps.keptMs({ path, stat }) !== keptMs) return 'stays'
      await versions.remove(path)
      this.removed(stat.sizeBytes)
      log.debug(() => `old version ${JSON.stringify(path)} removed: old versions exceed their share of the disk`)
      return 'removed'
    } catch (error) {
      if (!isMissing(error)) log.warn(`old version ${JSON.stringify(path)} could not be removed: ${messageOf(error)}`)
      return 'stays'
    }
  }

  async #recount(signal: AbortSignal): Promise<void> {
    this.count(await Array.fromAsync(this.#deps.versions.files(signal)))
  }

  /** Null without a limit, and where there is no directory yet. */
  async #maxBytes(): Promise<number | null> {
    const { clock, disk, percentMax, versions } = this.#deps
    const percent = percentMax()
    if (percent === 0) return null
    const nowMs = clock.monotonicMs()
    if (this.#space === undefined || nowMs - this.#space.readMs >= SPACE_MS) {
      const space = await disk.space(versions.root).catch((error: unknown): undefined => {
        if (!isMissing(error)) throw error
      })
      if (space === undefined) return null
      this.#space = { readMs: nowMs, totalBytes: space.totalBytes }
    }
    return Math.floor((this.#space.totalBytes * percent) / 100)
  }
}
