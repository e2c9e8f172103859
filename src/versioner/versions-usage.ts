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
/** As long as deletions are counted together by the guard. */
export const YOUNG_MS = 3_600_000

export interface VersionsUsageDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'nowMs'>
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

/** A version that may be removed. */
interface Candidate {
  readonly path: string
  readonly sizeBytes: number
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
  /** Those that alone exceed the limit, likewise, and the sizes of all such. */
  #large: Candidate[] = []
  #largeBytes = 0
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

  /**
   * A listing of all versions corrects what was changed by other programs. A version that alone exceeds the limit goes
   * first: it cannot stay, whatever else is removed.
   */
  async count(entries: readonly KeptEntry[]): Promise<void> {
    const maxBytes = (await this.#maxBytes()) ?? Number.POSITIVE_INFINITY
    this.#counted = { files: entries.length, sizeBytes: entries.reduce((sum, { stat }) => sum + stat.sizeBytes, 0) }
    const [large = [], others = []] = [true, false].map((isLarge) =>
      entries
        .filter(({ path, stat }) => !this.#deps.isInUse(path) && stat.sizeBytes > maxBytes === isLarge)
        .map((entry) => this.#candidate(entry))
        .sort((a, b) => b.keptMs - a.keptMs)
        .slice(-OLDEST_MAX),
    )
    this.#oldest = others
    this.#large = large
    this.#largeBytes = large.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  /** Reads the directory only the first time. */
  async used(signal: AbortSignal): Promise<VersionsUsed> {
    if (this.#counted === undefined) await this.#recount(signal)
    return { files: 0, sizeBytes: 0, ...this.#counted, maxBytes: await this.#maxBytes() }
  }

  /**
   * Removes the oldest versions until the others have at most their share of the disk. What was archived within the
   * last hour stays: it may be part of a mass deletion that is not noticed yet, and it had its space before. Resolves
   * with whether that is the reason for which they exceed their share.
   */
  async limit(signal: AbortSignal, addedBytes = 0): Promise<boolean> {
    using _lock = await this.#lock.lock()
    const maxBytes = await this.#maxBytes()
    if (maxBytes === null) return false
    if (this.#counted === undefined) await this.#recount(signal)
    if (addedBytes > maxBytes) this.#largeBytes += addedBytes
    const youngMs = this.#deps.clock.nowMs() - YOUNG_MS
    let isRecounted = false
    while (this.#counted !== undefined && this.#counted.sizeBytes > maxBytes) {
      signal.throwIfAborted()
      const list = (this.#large.at(-1)?.keptMs ?? Number.POSITIVE_INFINITY) > youngMs ? this.#oldest : this.#large
      // The large ones that are left are young: the next clean-up removes them.
      if (list === this.#oldest && this.#counted.sizeBytes - this.#largeBytes <= maxBytes) return true
      if ((list.at(-1)?.keptMs ?? 0) > youngMs) return true
      const next = list.pop()
      if (list === this.#large) this.#largeBytes -= next?.sizeBytes ?? 0
      const outcome = next === undefined ? 'unknown' : await this.#remove(next)
      if (outcome === 'removed') isRecounted = false
      else if (outcome === 'unknown') {
        if (isRecounted) return false // nothing of what is there can be removed
        await this.#recount(signal)
        isRecounted = true
      }
    }
    return false
  }

  #candidate(entry: KeptEntry): Candidate {
    return { path: entry.path, sizeBytes: entry.stat.sizeBytes, keptMs: this.#deps.keptMs(entry) }
  }

  /** `unknown` where the version is missing, so that the count may be wrong; `stays` where it must or does stay. */
  async #remove({ path, keptMs }: Candidate): Promise<'removed' | 'stays' | 'unknown'> {
    const { isInUse, log, versions } = this.#deps
    try {
      const stat = await versions.stat(path)
      if (stat === undefined) return 'unknown'
      if (stat.type !== 'file' || isInUse(path)) return 'stays'
      if (this.#deps.keptMs({ path, stat }) !== keptMs) return 'stays'
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
    await this.count(await Array.fromAsync(this.#deps.versions.files(signal)))
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
