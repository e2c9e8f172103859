import { mayCopyBlocks } from '../core/config/block-sources.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Config, FolderConfig } from '../core/config/config.ts'
import { diffFolders, type FolderAction } from '../core/config/config-diff.ts'
import type { FolderId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import { Mutex } from '../sync/mutex.ts'
import { Semaphore } from '../sync/semaphore.ts'
import type { ModelDeps, ModelOptions } from './deps.ts'
import type { PullingFolder } from './peers/download-publisher.ts'
import { mountsKey } from './folder/folder-mounts.ts'
import { DEFAULT_MARKER_NAME } from '../core/folder-stop.ts'
import { removeMarker } from './folder/marker.ts'
import type { OtherFolder } from './content/local-blocks.ts'
import type { Folder } from './folder/folder.ts'
import type { openFolder } from './folder/open-folder.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import { sharedIgnoresKey } from './folder/shared-ignores.ts'
import { earlierCounterKey } from './state/counter-floor.ts'
import { guardKey } from '../core/guard/guard-state.ts'
import { PullShares } from './state/pull-shares.ts'
import { KeptFiles } from './state/kept-files.ts'

let folderCode: typeof openFolder | undefined

/** Loads the code of folders: a quarter of the program, which a device without any does not need. */
export async function loadFolderCode(): Promise<void> {
  folderCode ??= (await import('./folder/open-folder.ts')).openFolder
}

/**
 * Which folders are configured and which of them run. A paused folder has no `Folder`; one whose settings change
 * gets a new one. `find` reports in one place why a folder is not available.
 */
export class FolderRegistry {
  readonly #deps: ModelDeps
  readonly #options: ModelOptions
  readonly #log: Logger
  readonly #slots: Semaphore
  readonly #pullSlots: Semaphore
  readonly #pullShares: PullShares
  readonly #running = new Map<FolderId, Folder>()
  /** Folders that must not run, whatever the settings say, with the reason. */
  readonly #held = new Map<FolderId, string>()
  /** Starts and stops of folders, one after the other. */
  readonly #changing = new Mutex()
  #config: Config
  #signal: AbortSignal | undefined

  constructor(deps: ModelDeps, options: ModelOptions) {
    this.#deps = deps
    this.#options = options
    this.#config = options.config
    this.#log = deps.logger('model')
    this.#slots = new Semaphore(this.#slotCount())
    this.#pullSlots = new Semaphore(this.#slotCount())
    this.#pullShares = new PullShares(deps.platform.clock, (folder) => deps.extensions(folder).priority)
  }

  get folders(): readonly FolderConfig[] {
    return this.#config.folders
  }

  get devices(): Config['devices'] {
    return this.#config.devices
  }

  get isStarted(): boolean {
    return this.#signal !== undefined
  }

  get options(): Config['options'] {
    return this.#config.options
  }

  /** Every folder that runs, with the files it is pulling. */
  pulling(): readonly PullingFolder[] {
    return this.folders.flatMap((folder) => {
      const running = this.#running.get(folder.id)
      const shared = !folder.disableTempIndexes && folder.type !== 'receiveencrypted'
      return running === undefined
        ? []
        : [{ id: folder.id, shared, isPulling: running.isPulling, pulling: running.pulling }]
    })
  }

  /**
   * Starts every folder that is not paused, synchronously if their code is loaded: a scan request after this call
   * finds the folder.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.folders.length > 0 && folderCode === undefined) await loadFolderCode()
    this.#signal = signal
    for (const folder of this.folders) if (!folder.paused) this.#start(folder)
  }

  /** After the start: drops the indexes of removed folders and creates the directories of new paused folders. */
  async tidy(): Promise<void> {
    try {
      await this.#dropUnconfigured()
      for (const folder of this.folders) if (folder.paused) await this.#makeRoot(folder)
    } catch (error) {
      // Retried at the next start: no reason to stop the running folders.
      this.#log.warn(`cleaning up after the start failed: ${messageOf(error)}`)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((folder) => this.#stop(folder)))
  }

  /** Resolves when every folder is running, paused or removed as configured. */
  async apply(from: Config, to: Config): Promise<void> {
    this.#config = to
    this.#slots.setCapacity(this.#slotCount())
    this.#pullSlots.setCapacity(this.#slotCount())
    if (this.#signal === undefined || this.#signal.aborted) return
    using _lock = await this.#changing.lock()
    for (const action of diffFolders(from, to)) {
      try {
        await this.#applyAction(action, from)
      } catch (error) {
        // A failure of one folder must not keep the configuration from being applied to the others.
        this.#log.error(`applying the new configuration failed (${action.kind}): ${messageOf(error)}`)
      }
    }
  }

  /**
   * Stops a folder until it is released; other devices see it as paused. Before the start it only keeps the folder
   * from starting.
   */
  async hold(folder: FolderId, reason: string): Promise<void> {
    using _lock = await this.#changing.lock()
    this.#held.set(folder, reason)
    if (!this.#running.has(folder)) return
    await this.#stop(folder)
    this.#deps.signals.usabilityChanged.emit(folder)
  }

  /** Starts a folder that was held, if it is configured and not paused. */
  async release(folder: FolderId): Promise<void> {
    using _lock = await this.#changing.lock()
    if (!this.#held.delete(folder) || !this.isStarted) return
    const config = this.folders.find(({ id }) => id === folder)
    if (config === undefined || config.paused) return
    await loadFolderCode()
    this.#start(config)
    this.#deps.signals.usabilityChanged.emit(folder)
  }

  /** Why a folder must not run now. */
  heldBecause(folder: FolderId): string | undefined {
    return this.#held.get(folder)
  }

  /** Undefined for a folder that is paused, unknown or not started. */
  running(folder: FolderId): Folder | undefined {
    return this.#running.get(folder)
  }

  /** Throws `folder-missing`. */
  configured(folder: FolderId): FolderConfig {
    const config = this.#config.folders.find(({ id }) => id === folder)
    if (config === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
    return config
  }

  /** The kept files of a folder that does not run, only to be read. Throws `folder-missing`. */
  storedKept(folder: FolderId): KeptFiles {
    const { logger, platform } = this.#deps
    const { keptDirectory: directory } = this.#options
    const options = { folder: this.configured(folder).id, directory, readOnly: true }
    return new KeptFiles({ disk: platform.disk, log: logger('model') }, options)
  }

  /** Files that other devices delete stay here. */
  collects(folder: FolderId): boolean {
    return this.#deps.extensions(folder).collect
  }

  /** Throws `folder-missing`, `folder-paused` or `folder-not-running`. */
  find(folder: FolderId): Folder {
    if (this.configured(folder).paused) throw new TwinfoldError('folder-paused', 'folder is paused')
    const running = this.#running.get(folder)
    if (running !== undefined) return running
    throw new TwinfoldError('folder-not-running', this.#held.get(folder) ?? 'folder is not running')
  }

  /** Absolute. */
  root(folder: FolderConfig): string {
    return folderRoot(folder, this.#options.userHome)
  }

  #start(folder: FolderConfig): void {
    if (this.#signal?.aborted !== false || this.#held.has(folder.id)) return
    const running = folderCode!(
      {
        ...this.#deps,
        slots: this.#slots,
        pullSlots: this.#pullSlots,
        pullShares: this.#pullShares,
        otherFolders: () => this.#sourcesFor(folder.id),
        options: () => this.#config.options,
        label: () => this.folders.find(({ id }) => id === folder.id)?.label ?? folder.label,
      },
      { ...this.#options, folder },
    )
    this.#running.set(folder.id, running)
    this.#log.info(`folder ${folder.id} starts: ${folder.type} ${this.root(folder)}`)
    running.start()
  }

  /** The other folders from which blocks may be copied into this one, as shared now. */
  async #sourcesFor(folder: FolderId): Promise<readonly OtherFolder[]> {
    const to = this.folders.find(({ id }) => id === folder)
    if (to === undefined) return []
    const others = this.folders.filter(
      (from) => from.id !== folder && this.#running.has(from.id) && mayCopyBlocks(from, to, this.#options.ownDevice),
    )
    const opened = await Promise.allSettled(
      others.map(async (other) => ({
        root: this.root(other),
        records: (await this.#deps.store.folder(other.id)).records,
      })),
    )
    // The blocks of a folder whose index cannot be used are unknown; that is no reason to stop others.
    return opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  async #stop(folder: FolderId): Promise<void> {
    await this.#running.get(folder)?.stop()
    this.#running.delete(folder)
  }

  /** Applies the part of a configuration change that concerns folders. */
  async #applyAction(action: FolderAction, from: Config): Promise<void> {
    switch (action.kind) {
      case 'remove-folder':
        return await this.#remove(from.folders.find(({ id }) => id === action.id)!) // the diff is relative to `from`
      case 'add-folder':
      case 'restart-folder':
        await this.#stop(action.folder.id)
        if (action.folder.paused) return await this.#makeRoot(action.folder)
        await loadFolderCode()
        return this.#start(action.folder)
      case 'pause-folder':
        await this.#stop(action.folder.id)
        this.#log.info(`folder ${action.folder.id}: paused`)
        return this.#deps.events.emit('FolderPaused', { id: action.folder.id, label: action.folder.label })
      case 'resume-folder':
        await loadFolderCode()
        this.#log.info(`folder ${action.folder.id}: resumed`)
        this.#deps.events.emit('FolderResumed', { id: action.folder.id, label: action.folder.label })
        return this.#start(action.folder)
    }
  }

  /** Keeps the files. Removes all that is stored of it, and the marker unless another folder needs it. */
  async #remove(folder: FolderConfig): Promise<void> {
    await this.#stop(folder.id)
    this.#log.info(`folder ${folder.id}: removed; its files stay in ${this.root(folder)}`)
    const shared = this.folders.some((other) => this.root(other) === this.root(folder))
    if (!shared && folder.markerName === DEFAULT_MARKER_NAME) {
      const { clock, disk } = this.#deps.platform
      await removeMarker(disk, this.root(folder), folder.id, clock.nowMs()).catch((error: unknown) => {
        this.#log.warn(`folder ${folder.id}: the marker stays: ${messageOf(error)}`)
      })
    }
    await this.#deleteState(folder.id)
  }

  /** Folders that were removed from the configuration while the program was not running. */
  async #dropUnconfigured(): Promise<void> {
    for (const id of await this.#deps.store.folders()) {
      // Read again for each: the configuration may change meanwhile.
      if (this.folders.some((folder) => folder.id === id)) continue
      this.#log.info(`folder ${id}: no longer configured, dropping its index`)
      await this.#deleteState(id)
    }
  }

  /** All that is stored of a folder. */
  async #deleteState(folder: FolderId): Promise<void> {
    const { platform, store, statistics } = this.#deps
    await store.dropFolder(folder)
    await statistics.deleteFolder(folder)
    await KeptFiles.delete(platform.disk, { folder, directory: this.#options.keptDirectory })
    for (const key of [mountsKey(folder), earlierCounterKey(folder), sharedIgnoresKey(folder), guardKey(folder)])
      await store.keyValue.delete(key)
  }

  /** A paused folder without an index gets its directory; one with an index may be unmounted and is left alone. */
  async #makeRoot(folder: FolderConfig): Promise<void> {
    if ((await this.#deps.store.folders()).includes(folder.id)) return
    await this.#deps.platform.disk.makeDirectories(this.root(folder), 0o777).catch((error: unknown) => {
      this.#log.warn(`folder ${folder.id}: cannot create ${this.root(folder)}: ${messageOf(error)}`)
    })
  }

  #slotCount(): number {
    const wanted = this.#config.options.maxFolderConcurrency
    if (wanted < 0) return Number.POSITIVE_INFINITY
    return wanted === 0 ? Math.max(1, this.#deps.platform.system.cpuCount) : wanted
  }
}
