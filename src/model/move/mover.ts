import type { Config, FolderConfig } from '../../core/config/config.ts'
import { folderRoot } from '../../core/config/folder-root.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import {
  isCancellable,
  isEnded,
  journalText,
  parseJournal,
  resumedState,
  type MoveEntry,
  type SettingsPlace,
} from '../../core/move/journal.ts'
import { withMovedFolder } from '../../core/move/settings.ts'
import type { IndexStore } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Platform } from '../../platform/platform.ts'
import { TaskSet } from '../../sync/task-set.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import { JournalFile } from '../state/journal-file.ts'
import { MoveRun, statusOf } from './move-run.ts'
import { planMove } from './plan.ts'
import type { MovePreview, MoveStatus, MoveView } from './types.ts'

export interface MoverDeps {
  readonly platform: Pick<Platform, 'attributes' | 'clock' | 'disk' | 'hasher'>
  readonly store: Pick<IndexStore, 'folder'>
  readonly config: {
    readonly current: Config
    change(make: (current: Config) => Config): Promise<Config>
    subscribe(listener: (from: Config, to: Config) => void): void
  }
  /** Stops a folder, and starts it again. */
  readonly folders: { hold(folder: FolderId, reason: string): Promise<void>; release(folder: FolderId): Promise<void> }
  readonly log: Logger
}

export interface MoverOptions {
  readonly journalFile: string
  readonly userHome: string
  /** Directories of the home of this device. */
  readonly homes: readonly string[]
}

/** Moves folders to other directories, also over restarts. A folder that is moved does not run. */
export class Mover implements MoveView {
  readonly name = 'mover'
  readonly #deps: MoverDeps
  readonly #options: MoverOptions
  readonly #journal: JournalFile<MoveEntry>
  readonly #runs = new Map<FolderId, MoveRun>()
  readonly #tasks = new TaskSet()
  #signal: AbortSignal | undefined

  constructor(deps: MoverDeps, options: MoverOptions) {
    this.#deps = deps
    this.#options = options
    this.#journal = new JournalFile(deps.platform.disk, options.journalFile, { parse: parseJournal, text: journalText })
    deps.config.subscribe((_from, to) => this.#settingsChanged(to))
  }

  /** Before the folders start: those whose move was interrupted are held. */
  async load(): Promise<void> {
    await this.#journal.load()
    for (const entry of this.#journal.all) {
      const folder = this.#configured(entry.folder)
      const state = resumedState(entry.state, this.#placeOf(entry, folder))
      if (folder === undefined && isEnded({ state })) await this.#journal.delete(entry.folder)
      else if (state !== entry.state) await this.#journal.put({ ...entry, state })
      if (isEnded({ state })) continue
      this.#deps.log.info(`folder ${entry.folder}: its move to ${entry.to} continues (${state})`)
      const settings = folder ?? { ...this.#deps.config.current.defaults.folder, id: entry.folder }
      this.#runs.set(entry.folder, this.#newRun({ ...entry, state }, settings, { files: 0, bytes: 0 }))
      await this.#deps.folders.hold(entry.folder, reasonOf(entry))
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const run of this.#runs.values()) this.#tasks.add(this.#execute(run, signal))
    await new Wakeup().wait(signal).catch(() => {}) // until it aborts
    await this.#tasks.ended()
  }

  async preview(folder: FolderId, path: string, signal: AbortSignal): Promise<MovePreview> {
    return await this.#plan(this.#require(folder), path, signal)
  }

  async start(id: FolderId, path: string, signal: AbortSignal): Promise<MoveStatus> {
    const folder = this.#require(id)
    const service = this.#signal
    if (service === undefined || service.aborted) throw new TwinfoldError('refused', 'the device is starting or ending')
    this.#refuseSecond(id)
    const plan = await this.#plan(folder, path, signal)
    if (plan.problem !== undefined) throw new TwinfoldError('refused', plan.problem.text)
    const madeRoot = !(await this.#exists(plan.to))
    this.#refuseSecond(id) // one that began meanwhile
    const entry: MoveEntry = {
      folder: id,
      fromPath: folder.path,
      toPath: path.startsWith('~') ? path : plan.to,
      from: plan.from,
      to: plan.to,
      method: plan.method,
      state: 'prepared',
      startedMs: this.#deps.platform.clock.nowMs(),
      endedMs: 0,
      madeRoot,
      error: '',
      left: [],
      leftCount: 0,
    }
    const run = this.#newRun(entry, folder, plan)
    this.#runs.set(id, run)
    try {
      await this.#journal.put(entry)
    } catch (error) {
      this.#runs.delete(id)
      throw new TwinfoldError('refused', `the journal of moves cannot be written: ${messageOf(error)}`, {
        cause: error,
      })
    }
    this.#tasks.add(this.#execute(run, service))
    return run.status
  }

  status(folder: FolderId): MoveStatus | undefined {
    this.#require(folder)
    const entry = this.#journal.get(folder)
    return this.#runs.get(folder)?.status ?? (entry && statusOf(entry))
  }

  async cancel(folder: FolderId): Promise<void> {
    this.#require(folder)
    const run = this.#runs.get(folder)
    if (run === undefined) throw new TwinfoldError('refused', 'the folder is not being moved')
    if (!isCancellable(run.entry))
      throw new TwinfoldError('refused', `the folder is at its new place already, ${run.entry.to}; move it back`)
    run.cancel()
  }

  async #execute(run: MoveRun, signal: AbortSignal): Promise<void> {
    const { folders, log } = this.#deps
    const { folder, from, to } = run.entry
    try {
      await folders.hold(folder, reasonOf(run.entry))
      await run.run(signal)
      if (!isEnded(run.entry)) return // continued at the next start
      if (run.entry.state === 'done') log.info(`folder ${folder}: moved from ${from} to ${to}`)
      if (this.#configured(folder) === undefined) await this.#forget(folder)
      await folders.release(folder)
    } catch (error) {
      log.error(`folder ${folder}: its move to ${to} ended: ${messageOf(error)}`)
    } finally {
      if (isEnded(run.entry)) this.#runs.delete(folder)
    }
  }

  async #forget(folder: FolderId): Promise<void> {
    await this.#journal.delete(folder).catch((error: unknown) => {
      // It is deleted at the next start.
      this.#deps.log.warn(`the journal of moves cannot be written: ${messageOf(error)}`)
    })
  }

  #newRun(entry: MoveEntry, folder: FolderConfig, totals: { readonly files: number; readonly bytes: number }): MoveRun {
    const { log, platform, store } = this.#deps
    const deps = {
      platform,
      journal: this.#journal,
      log,
      index: () => store.folder(entry.folder),
      switchPath: (moved: MoveEntry) => this.#switchPath(moved),
      isConfigured: () => this.#configured(entry.folder) !== undefined,
    }
    return new MoveRun(deps, entry, folder, { files: totals.files, bytes: totals.bytes })
  }

  async #switchPath(entry: MoveEntry): Promise<void> {
    await this.#deps.config.change((current) => {
      const folder = current.folders.find(({ id }) => id === entry.folder)
      const place = this.#placeOf(entry, folder)
      if (place === 'new') return current
      if (place === 'elsewhere') throw new TwinfoldError('refused', 'the settings of the folder were changed meanwhile')
      return withMovedFolder(current, entry, this.#options.userHome)
    })
  }

  /** Somebody removed the folder or set another path: its files stay where they are. */
  #settingsChanged(to: Config): void {
    for (const run of this.#runs.values()) {
      const folder = to.folders.find(({ id }) => id === run.entry.folder)
      if (isCancellable(run.entry) && this.#placeOf(run.entry, folder) !== 'old') run.cancel()
    }
  }

  #placeOf(entry: MoveEntry, folder: FolderConfig | undefined): SettingsPlace {
    const { userHome } = this.#options
    if (folder === undefined) return 'elsewhere'
    const root = folderRoot(folder, userHome)
    if (root === folderRoot({ path: entry.toPath }, userHome)) return 'new'
    return root === folderRoot({ path: entry.fromPath }, userHome) ? 'old' : 'elsewhere'
  }

  async #plan(folder: FolderConfig, path: string, signal: AbortSignal): Promise<MovePreview> {
    const { config, platform, store } = this.#deps
    const { homes, userHome } = this.#options
    const index = () => store.folder(folder.id)
    const deps = { disk: platform.disk, folders: config.current.folders, userHome, homes, index }
    return await planMove(deps, folder, path, signal)
  }

  async #exists(path: string): Promise<boolean> {
    return await this.#deps.platform.disk.lstat(path).then(
      () => true,
      () => false,
    )
  }

  #refuseSecond(folder: FolderId): void {
    const run = this.#runs.get(folder)
    if (run !== undefined) throw new TwinfoldError('refused', `the folder is being moved to ${run.entry.to} already`)
  }

  #configured(folder: FolderId): FolderConfig | undefined {
    return this.#deps.config.current.folders.find(({ id }) => id === folder)
  }

  #require(folder: FolderId): FolderConfig {
    const found = this.#configured(folder)
    if (found === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
    return found
  }
}

function reasonOf({ to }: MoveEntry): string {
  return `the folder is being moved to ${to}`
}
