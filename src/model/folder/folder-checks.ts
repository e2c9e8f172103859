import type { Config, FolderConfig } from '../../core/config/config.ts'
import { detailOf, messageOf, TwinfoldError } from '../../core/errors.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { withSharedIgnores } from '../../core/ignore/shared-ignores.ts'
import type { IndexStore } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { isCaseInsensitive } from '../../scanner/presence.ts'
import { checkToken } from '../encryption/stored-token.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import { checkHealth, checkSameRoot, type HealthOptions, type RootIdentity } from '../state/health.ts'
import { IGNORE_FILE_NAME, IgnoreFile } from './ignore-file.ts'
import type { SharedIgnores } from './shared-ignores.ts'

const NO_RULES = new IgnoreRules([])
/** Free space is checked at most once in this interval: a disk does not fill up between two batches of a scan. */
const SPACE_INTERVAL_MS = 1_000
/** The case sensitivity of a file system rarely changes. */
const CASE_INTERVAL_MS = 10_000

/** Result of the check that precedes a scan or a pull. */
export interface FolderCheck {
  readonly root: RootIdentity
  readonly ignore: IgnoreRules
  /** The file system is case-insensitive. */
  readonly caseInsensitive: boolean
  /** Paths that the selection keeps because items were made there; set before a scan. */
  readonly madeHere?: readonly string[]
  /** Time of the check on the monotonic clock. */
  readonly atMs: number
}

export interface FolderChecksDeps {
  readonly clock: Clock
  readonly disk: Disk
  readonly store: Pick<IndexStore, 'folder'>
  readonly sharedIgnores: Pick<SharedIgnores, 'load'>
  /** The current settings: they may change while the folder runs. */
  options(): Config['options']
}

export interface FolderChecksOptions {
  readonly folder: FolderConfig
  readonly root: string
  readonly databaseDirectory: string
}

/** Checks whether one folder may be scanned and pulled. */
export class FolderChecks {
  readonly #deps: FolderChecksDeps
  readonly #options: FolderChecksOptions
  readonly #ignoreFile: IgnoreFile
  /** The rules of the last check, and what they consist of. */
  #last: { readonly own: IgnoreRules; readonly shared: readonly string[]; readonly rules: IgnoreRules } | undefined
  #spaceSeenMs = Number.NEGATIVE_INFINITY
  #caseSeenMs = Number.NEGATIVE_INFINITY
  #caseInsensitive = false
  #markerError: string | undefined

  constructor(deps: FolderChecksDeps, { folder, root, databaseDirectory }: FolderChecksOptions) {
    this.#deps = deps
    this.#options = { folder, root, databaseDirectory }
    this.#ignoreFile = new IgnoreFile(deps, root)
  }

  /** Why the marker of a new folder could not be created: reported instead of a missing root or marker. */
  setMarkerError(error: string | undefined): void {
    this.#markerError = error
  }

  /** Rejects with `folder-error` and the reason when the folder must not be scanned. */
  async check(): Promise<FolderCheck> {
    const { clock, disk, store } = this.#deps
    const atMs = clock.monotonicMs()
    const spaceKnown = this.#isSpaceKnown(atMs)
    const options = { ...this.#health(), spaceKnown }
    const folds = this.#isCaseInsensitive(atMs)
    folds.catch(() => {}) // awaited below, unless there is another reason
    const root = await checkHealth(disk, options, IGNORE_FILE_NAME).catch((error: unknown) => {
      throw this.#withMarkerError(error)
    })
    if (!spaceKnown) this.#spaceSeenMs = atMs
    const ignore = await this.#ignores(root.beside)
    await store.folder(this.#options.folder.id)
    await this.#checkToken()
    return { root, ignore, caseInsensitive: await folds, atMs }
  }

  /** Rejects when root or marker have changed since the check; to be called before results are stored. */
  async checkAgain({ root }: FolderCheck): Promise<void> {
    const { clock, disk } = this.#deps
    const nowMs = clock.monotonicMs()
    const spaceKnown = this.#isSpaceKnown(nowMs)
    await checkSameRoot(disk, { ...this.#health(), spaceKnown }, root)
    if (!spaceKnown) this.#spaceSeenMs = nowMs
  }

  #isSpaceKnown(nowMs: number): boolean {
    return nowMs - this.#spaceSeenMs < SPACE_INTERVAL_MS
  }

  #withMarkerError(reason: unknown): unknown {
    const detail = detailOf(reason)
    if (this.#markerError === undefined || (detail !== 'path-missing' && detail !== 'marker-missing')) return reason
    return new TwinfoldError('folder-error', this.#markerError, { cause: reason })
  }

  async #isCaseInsensitive(nowMs: number): Promise<boolean> {
    if (this.#options.folder.caseSensitiveFS) return false
    if (nowMs - this.#caseSeenMs >= CASE_INTERVAL_MS) {
      this.#caseInsensitive = await isCaseInsensitive(this.#deps.disk, this.#options.root)
      this.#caseSeenMs = nowMs
    }
    return this.#caseInsensitive
  }

  async #ignores(file: DiskStat | undefined): Promise<IgnoreRules> {
    const { sharedIgnores } = this.#deps
    if (!FOLDER_POLICIES[this.#options.folder.type].hasIgnores) return NO_RULES
    try {
      const own = file === undefined ? NO_RULES : await this.#ignoreFile.load(file)
      return this.#combined(own ?? NO_RULES, await sharedIgnores.load())
    } catch (error) {
      throw new TwinfoldError('folder-error', `loading ignores: ${messageOf(error)}`, { cause: error })
    }
  }

  #combined(own: IgnoreRules, shared: readonly string[]): IgnoreRules {
    if (this.#last?.own !== own || this.#last.shared !== shared) {
      this.#last = { own, shared, rules: withSharedIgnores(own, shared) }
    }
    return this.#last.rules
  }

  async #checkToken(): Promise<void> {
    const { folder, root } = this.#options
    if (folder.type !== 'receiveencrypted') return
    await checkToken(this.#deps.disk, { root, markerName: folder.markerName, folder: folder.id })
  }

  #health(): HealthOptions {
    const { folder, root, databaseDirectory } = this.#options
    const { minHomeDiskFree } = this.#deps.options()
    return { root, markerName: folder.markerName, databaseDirectory, minHomeDiskFree }
  }
}
