import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Config, FolderConfig } from '../core/config.ts'
import { diffConfigs, type ConfigAction } from '../core/config-diff.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import { cleanSubs } from '../core/paths.ts'
import type { Facility } from '../core/facilities.ts'
import type { FolderIndex, IndexStore, TreeEntry } from '../db/types.ts'
import type { EventSink, Logger } from '../events/types.ts'
import type { ScanProblem } from '../scanner/types.ts'
import type { Statistics } from '../stats/stats.ts'
import { Semaphore } from '../sync/semaphore.ts'
import { supervise } from '../sync/supervisor.ts'
import type { World } from '../world/world.ts'
import { FOLDER_POLICIES } from './folder-policy.ts'
import { isDamage } from './folder-runner.ts'
import { folderRoot, RunningFolder } from './running-folder.ts'
import { viewIgnores, writeIgnores } from './ignore-file.ts'
import { DEFAULT_MARKER_NAME, removeMarker } from './marker.ts'
import { pageOf } from './paging.ts'
import { SummaryTeller } from './summary.ts'
import type { FileView, FolderStatistics, FolderStatus, Hub, IgnoresView, NeedPage, Paging } from './types.ts'

export type ModelWorld = Pick<World, 'clock' | 'random' | 'disk' | 'walker' | 'hasher' | 'watcher' | 'system'>

export interface ModelDeps {
  readonly world: ModelWorld
  readonly store: IndexStore
  readonly events: EventSink
  readonly statistics: Statistics
  logger(facility: Facility): Logger
  /** A status in the words of `GET /rest/db/status`, for the events that carry it. */
  summaryOf(status: FolderStatus): object
}

export interface ModelOptions {
  readonly config: Config
  readonly ownDevice: DeviceId
  readonly userHome: string
  readonly databaseDirectory: string
}

/**
 * The hub: which folders run, and what others may ask of them. It decides nothing about files.
 *
 * A folder that runs is a `RunningFolder`; one that is paused has none, one whose settings change gets a new one. Inside:
 * - `FolderRunner` is its single loop, which decides when to do what (`RescanSchedule`, `ScanQueue`) and owns its
 *   `FolderState`. Nothing else changes the index.
 * - `FolderOnDisk` is what the loop does: health checks and marker before, `scanFolder` with events during, statistics after.
 * - `FolderWatch` runs beside it and rings when files change.
 * - `JobQueue` is what waits to be pulled, and what people want first.
 *
 * Questions are answered straight from the index, which answers in the order asked, so nobody waits for a scan.
 */
export class Model implements Hub {
  readonly name = 'model'
  readonly #deps: ModelDeps
  readonly #options: ModelOptions
  readonly #log: Logger
  readonly #slots: Semaphore
  readonly #summaries: SummaryTeller
  readonly #running = new Map<FolderId, RunningFolder>()
  #config: Config
  #signal: AbortSignal | undefined

  constructor(deps: ModelDeps, options: ModelOptions) {
    this.#deps = deps
    this.#options = options
    this.#config = options.config
    this.#log = deps.logger('model')
    this.#slots = new Semaphore(this.#slotCount())
    const { clock } = deps.world
    const summaryOf = async (folder: FolderId) => deps.summaryOf(await this.status(folder))
    this.#summaries = new SummaryTeller({ clock, events: deps.events, log: this.#log, summaryOf })
  }

  /** Runs all folders until the signal aborts; returns when the last one has let go of its index. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    // Before anything else, and at once: whoever asks for a scan from now on finds the folder there.
    for (const folder of this.#config.folders) if (!folder.paused) this.#start(folder)
    try {
      await this.#dropForgotten()
      for (const folder of this.#config.folders) if (folder.paused) await this.#makeRoot(folder)
      const failed = (error: unknown) => this.#log.error(`folder summaries failed: ${messageOf(error)}`)
      await supervise(this.#summaries, this.#deps.world.clock, failed, signal)
    } finally {
      await Promise.all([...this.#running.values()].map((running) => running.stop()))
      this.#running.clear()
    }
  }

  /** Resolves when every folder runs, rests or is gone as the new configuration says. */
  async apply(from: Config, to: Config): Promise<void> {
    this.#config = to
    this.#slots.setCapacity(this.#slotCount())
    if (this.#signal === undefined || this.#signal.aborted) return
    for (const action of diffConfigs(from, to)) {
      try {
        await this.#follow(action, from)
      } catch (error) {
        // Trouble with one folder must not keep the others from following the configuration.
        this.#log.error(`the new configuration could not be followed (${action.kind}): ${messageOf(error)}`)
      }
    }
  }

  async scan(folder: FolderId, subs: readonly string[], nextMs: number | undefined): Promise<void> {
    const running = this.#find(folder)
    this.#log.debug(() => `folder ${folder}: scan asked for${nextMs === undefined ? '' : `, the next in ${nextMs} ms`}`)
    await running.runner.scan(cleanSubs(subs), nextMs)
  }

  async scanAll(): Promise<ReadonlyMap<FolderId, string>> {
    const failures = new Map<FolderId, string>()
    const active = this.#config.folders.filter((folder) => !folder.paused)
    await Promise.all(active.map(({ id }) =>
      this.scan(id, [], undefined).catch((error: unknown) => void failures.set(id, messageOf(error)))))
    return failures
  }

  async bringToFront(folder: FolderId, file: string): Promise<void> {
    this.#find(folder).jobs.bringToFront(file)
  }

  async need(folder: FolderId, paging: Paging): Promise<NeedPage> {
    const { jobs } = this.#find(folder)
    return await this.#ask(folder, (index) => pageOf(index, jobs, paging))
  }

  async status(folder: FolderId): Promise<FolderStatus> {
    const config = this.#configured(folder)
    if (config.paused) return PAUSED_STATUS
    const running = this.#find(folder)
    return await this.#ask(folder, async (index) => ({
      ...running.status(),
      sequence: await index.sequence('local'),
      remoteSequences: await index.remoteSequences(),
      counts: await index.counts(),
    }))
  }

  async browse(folder: FolderId, options: Parameters<Hub['browse']>[1]): Promise<readonly TreeEntry[]> {
    this.#find(folder)
    return await this.#ask(folder, (index) => index.browse(options))
  }

  async file(folder: FolderId, name: string): Promise<FileView> {
    this.#find(folder)
    return await this.#ask(folder, async (index) => {
      const [global, local] = [await index.global(name), await index.get('local', name)]
      if (global === undefined && local === undefined) {
        throw new TwinfoldError('file-missing', 'No such object in the index')
      }
      return { global, local, availability: await index.availability(name) }
    })
  }

  async ignores(folder: FolderId): Promise<IgnoresView> {
    const config = this.#config.folders.find(({ id }) => id === folder)
    if (config === undefined) return { ignore: null, expanded: null, error: `folder ${folder} does not exist` }
    if (!FOLDER_POLICIES[config.type].hasIgnores) return { ignore: null, expanded: null, error: null }
    return await viewIgnores(this.#deps.world.disk, this.#root(config))
  }

  async setIgnores(folder: FolderId, lines: readonly string[]): Promise<IgnoresView> {
    const config = this.#configured(folder)
    if (!FOLDER_POLICIES[config.type].hasIgnores) {
      throw new TwinfoldError('bad-request', 'an encrypted folder has no ignore patterns')
    }
    await writeIgnores(this.#deps.world.disk, this.#root(config), lines)
    this.#running.get(folder)?.runner.scanSoon()
    return await this.ignores(folder)
  }

  async folderErrors(folder: FolderId, { page, perPage }: Paging): Promise<readonly ScanProblem[]> {
    return this.#find(folder).runner.problems.slice((page - 1) * perPage, page * perPage)
  }

  async folderStatistics(): Promise<ReadonlyMap<FolderId, FolderStatistics>> {
    const entries = this.#config.folders.map(async ({ id }) => [id, await this.#deps.statistics.folder(id)] as const)
    return new Map(await Promise.all(entries))
  }

  #configured(folder: FolderId): FolderConfig {
    const config = this.#config.folders.find(({ id }) => id === folder)
    if (config === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
    return config
  }

  #find(folder: FolderId): RunningFolder {
    if (this.#configured(folder).paused) throw new TwinfoldError('folder-paused', 'folder is paused')
    const running = this.#running.get(folder)
    if (running === undefined) throw new TwinfoldError('folder-not-running', 'folder is not running')
    return running
  }

  /** A damaged index is rebuilt by the folder's own loop; whoever asked learns that there is no answer now. */
  async #ask<T>(folder: FolderId, question: (index: FolderIndex) => Promise<T>): Promise<T> {
    try {
      return await question(await this.#deps.store.folder(folder))
    } catch (error) {
      if (isDamage(error)) this.#running.get(folder)?.runner.scanSoon()
      throw error
    }
  }

  #start(folder: FolderConfig): void {
    if (this.#signal?.aborted !== false) return
    const running = new RunningFolder(
      {
        ...this.#deps,
        slots: this.#slots,
        options: () => this.#config.options,
        label: () => this.#configured(folder.id).label,
        touched: () => this.#summaries.touch(folder.id),
      },
      { ...this.#options, folder },
    )
    this.#running.set(folder.id, running)
    this.#log.info(`folder ${folder.id} starts: ${folder.type} ${this.#root(folder)}`)
    running.start()
  }

  async #stop(folder: FolderId): Promise<void> {
    await this.#running.get(folder)?.stop()
    this.#running.delete(folder)
  }

  /** What a change of the configuration means here; what it means elsewhere is for others. */
  async #follow(action: ConfigAction, from: Config): Promise<void> {
    switch (action.kind) {
      case 'remove-folder':
        return await this.#remove(from.folders.find(({ id }) => id === action.id)!) // the difference names only what was there
      case 'add-folder':
      case 'restart-folder':
        await this.#stop(action.folder.id)
        if (!action.folder.paused) this.#start(action.folder)
        return
      case 'pause-folder':
        await this.#stop(action.folder.id)
        this.#log.info(`folder ${action.folder.id} is paused`)
        return this.#deps.events.emit('FolderPaused', { id: action.folder.id, label: action.folder.label })
      case 'resume-folder':
        this.#log.info(`folder ${action.folder.id} goes on`)
        this.#deps.events.emit('FolderResumed', { id: action.folder.id, label: action.folder.label })
        return this.#start(action.folder)
      case 'pause-device':
        return this.#deps.events.emit('DevicePaused', { device: action.device.deviceID })
      case 'resume-device':
        return this.#deps.events.emit('DeviceResumed', { device: action.device.deviceID })
      default: // settings that are read when they are used, and what concerns other parts
    }
  }

  /** The files stay. Everything we know about them goes, and so does the marker, unless another folder needs it. */
  async #remove(folder: FolderConfig): Promise<void> {
    await this.#stop(folder.id)
    this.#log.info(`folder ${folder.id} is removed; its files stay in ${this.#root(folder)}`)
    const shared = this.#config.folders.some((other) => this.#root(other) === this.#root(folder))
    if (!shared && folder.markerName === DEFAULT_MARKER_NAME) {
      const { clock, disk } = this.#deps.world
      await removeMarker(disk, this.#root(folder), folder.id, clock.nowMs()).catch((error: unknown) => {
        this.#log.warn(`folder ${folder.id}: the marker stays: ${messageOf(error)}`)
      })
    }
    await this.#deps.store.dropFolder(folder.id)
    await this.#deps.statistics.forgetFolder(folder.id)
  }

  /** Folders that were taken out of the configuration while we were not running. */
  async #dropForgotten(): Promise<void> {
    const configured = new Set(this.#config.folders.map(({ id }) => id))
    for (const id of await this.#deps.store.folders()) {
      if (configured.has(id)) continue
      this.#log.info(`folder ${id} is no longer configured: its index is dropped`)
      await this.#deps.store.dropFolder(id)
      await this.#deps.statistics.forgetFolder(id)
    }
  }

  /** A paused folder nobody has ever used gets its directory, so that its owner finds it; a known one may be unmounted. */
  async #makeRoot(folder: FolderConfig): Promise<void> {
    if ((await this.#deps.store.folders()).includes(folder.id)) return
    await this.#deps.world.disk.makeDirectories(this.#root(folder), 0o777).catch((error: unknown) => {
      this.#log.warn(`folder ${folder.id}: cannot make ${this.#root(folder)}: ${messageOf(error)}`)
    })
  }

  #root(folder: FolderConfig): string {
    return folderRoot(folder, this.#options.userHome)
  }

  #slotCount(): number {
    const wanted = this.#config.options.maxFolderConcurrency
    if (wanted < 0) return Number.POSITIVE_INFINITY
    return wanted === 0 ? Math.max(1, this.#deps.world.system.cpuCount) : wanted
  }
}

const NO_COUNTS = { files: 0, directories: 0, symlinks: 0, deleted: 0, bytes: 0 }

const PAUSED_STATUS: FolderStatus = {
  state: '',
  stateChangedMs: 0,
  error: '',
  errorCount: 0,
  watchError: '',
  ignorePatterns: false,
  sequence: 0,
  remoteSequences: undefined,
  counts: { global: NO_COUNTS, local: NO_COUNTS, need: NO_COUNTS, receiveOnlyChanged: NO_COUNTS },
}
