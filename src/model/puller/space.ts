import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { shortageOf } from '../../core/config/disk-space.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'

/** How long a reading of the free space is valid, less the bytes planned since. */
const READING_VALID_MS = 1_000

export interface SpaceDeps {
  readonly disk: Pick<Disk, 'space'>
  readonly clock: Clock
  readonly root: string
  label(): string
}

/** Prevents a folder from filling its disk: every file must fit and leave the minimum free. */
export class SpaceCheck {
  readonly #deps: SpaceDeps
  readonly #minimum: FolderConfig['minDiskFree']
  #known: { readonly freeBytes: number; readonly totalBytes: number } | undefined
  #readMs = Number.NEGATIVE_INFINITY
  /** Under way: files that begin at the same time share it. */
  #reading: Promise<void> | undefined
  #plannedBytes = 0

  constructor(deps: SpaceDeps, minimum: FolderConfig['minDiskFree']) {
    this.#deps = deps
    this.#minimum = minimum
  }

  /** Begins to read the space, while the pull still reads what it needs. */
  begin(): void {
    if (this.#minimum.value > 0) this.#reading ??= this.#read()
  }

  /** Resolves when a reading that was begun is there. */
  async begun(): Promise<void> {
    await this.#reading
  }

  /** Rejects with `item-failed` when the file does not fit. A disk that does not report its space passes. */
  async require(sizeBytes: number): Promise<void> {
    if (!this.#isValid) await (this.#reading ??= this.#read())
    const shortage = this.#shortage(sizeBytes)
    const { label, root } = this.#deps
    if (shortage !== undefined) throw itemFailed(`insufficient space in folder ${label()} (${root}): ${shortage}`)
    this.#plannedBytes += sizeBytes
  }

  /** The same at once: false where the file does not fit, or the space must be read first. */
  takesNow(sizeBytes: number): boolean {
    if (!this.#isValid || this.#shortage(sizeBytes) !== undefined) return false
    this.#plannedBytes += sizeBytes
    return true
  }

  get #isValid(): boolean {
    return !(this.#minimum.value > 0) || this.#deps.clock.monotonicMs() - this.#readMs < READING_VALID_MS
  }

  #shortage(sizeBytes: number): string | undefined {
    if (this.#known === undefined) return undefined
    const { freeBytes, totalBytes } = this.#known
    return shortageOf({ freeBytes: freeBytes - this.#plannedBytes, totalBytes }, this.#minimum, sizeBytes)
  }

  async #read(): Promise<void> {
    const { clock, disk, root } = this.#deps
    this.#known = await disk.space(root).catch(() => undefined)
    this.#readMs = clock.monotonicMs()
    this.#plannedBytes = 0
    this.#reading = undefined
  }
}
