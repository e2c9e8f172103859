import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { SelectionEntry } from '../../core/ignore/selection.ts'
import { scanScope, type ScanScope } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import { TimeSlice } from '../../sync/time-slice.ts'
import type { LeftFiles } from '../puller/drop.ts'
import type { FolderCheck, FolderChecks } from './folder-checks.ts'
import { FollowedRenames } from './followed-renames.ts'
import { findMadeHere } from './made-here.ts'
import { measureSelection, onlyCopyError } from './selection-effect.ts'
import type { PlannedSelection, SelectionFile } from './selection-file.ts'

export interface FolderSelectionDeps {
  readonly clock: Clock
  readonly disk: Disk
  readonly log: Logger
  readonly file: SelectionFile
  readonly checks: Pick<FolderChecks, 'check'>
  index(): Promise<FolderIndex>
}

export interface FolderSelectionOptions {
  readonly folder: FolderId
  readonly root: string
}

/** How dropped items are removed, by `Pulls`. */
export type DropWork = (paths: readonly string[], check: FolderCheck, isForced: boolean) => Promise<LeftFiles>

/** The selection of one folder while it runs: what is chosen, and what follows from changes here and elsewhere. */
export class FolderSelection {
  readonly #deps: FolderSelectionDeps
  readonly #options: FolderSelectionOptions
  readonly #renames = new FollowedRenames()

  constructor(deps: FolderSelectionDeps, options: FolderSelectionOptions) {
    this.#deps = deps
    this.#options = options
  }

  /**
   * Changes the selection and removes what is dropped. The patterns are durable before anything is removed: what is
   * missing is then ignored, never deleted. Resolves with the files that could not be removed, which stay kept.
   */
  async select(
    changes: readonly SelectionEntry[],
    isForced: boolean,
    check: FolderCheck,
    drop: DropWork,
  ): Promise<LeftFiles> {
    const dropped = changes.filter(({ state }) => state === 'dropped').map(({ path }) => path)
    if (!isForced && dropped.length > 0) await this.#refuseOnlyCopies(await this.#deps.file.plan(changes), dropped)
    await this.#deps.file.change(({ selection, isRemoving }) => {
      return { selection: selection.with(changes), isRemoving: isRemoving || dropped.length > 0 }
    })
    if (dropped.length === 0) return new Map()
    return await this.#remove(dropped, { ...check, ignore: (await this.#deps.checks.check()).ignore }, isForced, drop)
  }

  /** Continues an interrupted removal, and keeps what was made here in dropped directories. */
  async beforeScan(
    scope: ScanScope,
    check: FolderCheck,
    drop: DropWork,
    signal: AbortSignal,
  ): Promise<{ readonly check: FolderCheck; readonly scope: ScanScope }> {
    if (check.ignore.section === undefined) return { check, scope }
    try {
      const { isRemoving } = check.ignore.section
      if (isRemoving) await this.#remove([''], check, false, drop)
      const made = await this.#keepMadeHere(scope, check.ignore, signal)
      const next = isRemoving || made.length > 0 ? await this.#deps.checks.check() : check
      const { selection } = await this.#deps.file.read()
      const madeHere = selection.entries.filter(({ reason }) => reason === 'made-here').map(({ path }) => path)
      return { check: { ...next, madeHere }, scope: scanScope([...scope, ...made]) }
    } catch (error) {
      return this.#unchanged(error, { check, scope }, signal)
    }
  }

  /** Keeps files that were kept and have another name now. */
  async beforePull(check: FolderCheck, signal: AbortSignal): Promise<FolderCheck> {
    if (check.ignore.section === undefined) return check
    try {
      const { selection } = await this.#deps.file.read()
      const followed = await this.#renames.find(await this.#deps.index(), selection, check.ignore, signal)
      if (followed.length === 0) return check
      await this.#add(followed, 'was renamed on another device')
      return await this.#deps.checks.check()
    } catch (error) {
      return this.#unchanged(error, check, signal)
    }
  }

  async #refuseOnlyCopies({ before, after }: PlannedSelection, paths: readonly string[]): Promise<void> {
    const slice = new TimeSlice(this.#deps.clock, new AbortController().signal)
    const { listing } = await this.#deps.index()
    const { onlyHere } = await measureSelection(listing, { paths, before, after }, slice, Infinity)
    if (onlyHere.files > 0) throw onlyCopyError(onlyHere)
  }

  async #remove(paths: readonly string[], check: FolderCheck, isForced: boolean, drop: DropWork): Promise<LeftFiles> {
    const left = await drop(paths, check, isForced)
    const kept = [...left.keys()].map((path): SelectionEntry => ({ path, state: 'kept', reason: 'made-here' }))
    for (const [path, reason] of left) this.#log(`${JSON.stringify(path)} is not dropped: ${reason}`)
    await this.#deps.file.change(({ selection }) => ({ selection: selection.with(kept), isRemoving: false }))
    return left
  }

  async #keepMadeHere(scope: ScanScope, rules: IgnoreRules, signal: AbortSignal): Promise<readonly string[]> {
    const { disk, file } = this.#deps
    const { selection } = await file.read()
    const { records } = await this.#deps.index()
    const made = await findMadeHere({ disk, index: records, rules, selection }, this.#options.root, scope, signal)
    const entries = made.map((path): SelectionEntry => ({ path, state: 'kept', reason: 'made-here' }))
    if (entries.length > 0) await this.#add(entries, 'was made here in a dropped directory')
    return made
  }

  /** Entries of items that are gone make room: programs make files for a moment. */
  async #add(entries: readonly SelectionEntry[], why: string): Promise<void> {
    const { file } = this.#deps
    const { selection } = await file.read()
    const { records } = await this.#deps.index()
    const gone = new Set<string>()
    for (const { path, reason } of selection.entries) {
      if (reason === 'chosen' || selection.isMixed(path)) continue
      const { local, global } = await records.both(path)
      if ((local === undefined || local.deleted) && (global === undefined || global.deleted)) gone.add(path)
    }
    await file.change((section) => {
      const stale = section.selection.entries.filter(({ path }) => gone.has(path))
      const removed = stale.map(({ path }): SelectionEntry => ({ path, state: 'dropped', reason: 'chosen' }))
      return { ...section, selection: section.selection.with([...removed, ...entries]) }
    })
    for (const { path } of entries) this.#log(`${JSON.stringify(path)} ${why}: it is kept`)
  }

  /** A selection that cannot be read or written must not prevent scans and pulls: its patterns are in force. */
  #unchanged<T>(error: unknown, unchanged: T, signal: AbortSignal): T {
    if (signal.aborted || !(error instanceof TwinfoldError)) throw error
    this.#deps.log.warn(`folder ${this.#options.folder}: the selection is not followed: ${messageOf(error)}`)
    return unchanged
  }

  #log(text: string): void {
    this.#deps.log.info(`folder ${this.#options.folder}: ${text}`)
  }
}
