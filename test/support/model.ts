import assert from 'node:assert/strict'
import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import { FOLDER } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { parseFolderId, type FolderId } from '../../src/core/ids.ts'
import { openStore } from '../../src/db/store.ts'
import type { IndexStore } from '../../src/db/types.ts'
import { EventBus } from '../../src/events/bus.ts'
import { Log } from '../../src/events/log.ts'
import { EVENT_TYPES, type Event, type EventMap, type EventType } from '../../src/events/types.ts'
import { folderStatusJson } from '../../src/http/views/folder-status.ts'
import { loadFolderCode, Model } from '../../src/model/model.ts'
import { ModelSignals } from '../../src/model/signals.ts'
import { FolderRoots } from '../../src/model/state/folder-roots.ts'
import { NO_SOURCES, type Sources } from '../../src/model/state/sources.ts'
import { Statistics } from '../../src/stats/stats.ts'
import { createSimPlatform, type SimPlatform } from '../../src/platform/sim/platform.ts'
import { newConfig, LOCAL_ID } from './config.ts'

await loadFolderCode() // folders start synchronously, as in a daemon

/** Never aborts. */
export const NEVER = new AbortController().signal
/** Of the lists of kept files. */
export const KEPT_DIRECTORY = '/home/me/kept'
export const DOCS = folderId('docs')

export function folderId(text: string): FolderId {
  const id = parseFolderId(text)
  assert.ok(id !== undefined)
  return id
}

/** Test defaults of a folder: hourly rescans, no watcher, below /data. */
export function simFolder(id: string, changes: Partial<FolderConfig> = {}): FolderConfig {
  return {
    ...defaultsOf(FOLDER),
    id: folderId(id),
    label: `The ${id}`,
    path: `/data/${id}`,
    rescanIntervalS: 3_600,
    fsWatcherEnabled: false,
    minDiskFree: { value: 0, unit: '' },
    ...changes,
  }
}

export function simConfig(folders: readonly FolderConfig[]): Config {
  const config = newConfig()
  return { ...config, folders, options: { ...config.options, minHomeDiskFree: { value: 0, unit: '' } } }
}

/** Lets every promise that is ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A model with folders on a simulated platform, with its events and log lines. */
export class SimHub implements AsyncDisposable {
  readonly platform: SimPlatform
  readonly store: IndexStore
  readonly model: Model
  readonly statistics: Statistics
  readonly log: Log
  readonly signals = new ModelSignals()
  readonly roots: FolderRoots
  readonly events: Event[] = []
  readonly lines: string[] = []
  config: Config
  extensions = FOLDER_EXTENSIONS
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined

  private constructor(platform: SimPlatform, store: IndexStore, config: Config, sources: Sources) {
    this.platform = platform
    this.roots = new FolderRoots(platform)
    this.store = store
    this.config = config
    this.log = new Log(
      { clock: platform.clock, write: (line) => void this.lines.push(line) },
      { level: 'INFO', format: 'text', trace: 'all' },
    )
    const bus = new EventBus({ clock: platform.clock, log: this.log.logger('events') })
    bus.listen(new Set(EVENT_TYPES), (event) => this.events.push(event), this.#stop.signal)
    this.statistics = new Statistics({ keyValue: store.keyValue, log: this.log.logger('stats') })
    this.model = new Model(
      {
        platform,
        store,
        events: bus,
        sources,
        signals: this.signals,
        roots: this.roots,
        statistics: this.statistics,
        logger: (facility) => this.log.logger(facility),
        extensions: () => this.extensions,
        summaryOf: folderStatusJson,
      },
      {
        config,
        ownDevice: LOCAL_ID,
        userHome: '/home/me',
        databaseDirectory: '/home/me/index',
        keptDirectory: KEPT_DIRECTORY,
      },
    )
  }

  /** Opened, not running yet: a test arranges the disk first. */
  static async open(
    config: Config,
    options: {
      seed?: number
      platform?: SimPlatform
      wrap?: (store: IndexStore) => IndexStore
      sources?: Sources
    } = {},
  ): Promise<SimHub> {
    const platform = options.platform ?? createSimPlatform(options.seed ?? 1)
    await platform.disk.makeDirectories('/home/me/index', 0o700)
    const quiet = new Log({ clock: platform.clock, write: () => {} }, { level: 'ERROR', format: 'text', trace: '' })
    const store = await openStore({
      directory: undefined,
      disk: platform.disk,
      clock: platform.clock,
      random: platform.random,
      log: quiet.logger('db'),
    })
    return new SimHub(platform, options.wrap?.(store) ?? store, config, options.sources ?? NO_SOURCES)
  }

  run(): void {
    this.#done = this.model.run(this.#stop.signal)
  }

  pullSoon(folder: FolderId): void {
    this.signals.pullWanted.emit(folder)
  }

  async change(edit: (config: Config) => Config): Promise<void> {
    const from = this.config
    this.config = edit(from)
    await this.while(this.model.apply(from, this.config))
  }

  /** Lets simulated time pass. */
  async pass(ms: number): Promise<void> {
    await this.platform.clock.advance(ms, settle)
    await settle()
  }

  /** Lets things happen, without needing simulated time, until the promise is settled. */
  async while<T>(promise: Promise<T>): Promise<T> {
    const progress = { settled: false }
    const mark = () => void (progress.settled = true)
    promise.then(mark, mark)
    for (let turn = 0; !progress.settled && turn < 10_000; turn++) await this.pass(turn % 10 === 9 ? 1 : 0)
    assert.ok(progress.settled, 'still waiting after ten thousand turns')
    return await promise
  }

  of<K extends EventType>(type: K): readonly EventMap[K][] {
    return this.events.filter((event) => event.type === type).map((event) => event.data as EventMap[K])
  }

  states(folder: string = DOCS): readonly string[] {
    return this.of('StateChanged')
      .filter((data) => data.folder === folder)
      .map(({ from, to }) => `${from}→${to}`)
  }

  deletions(): number {
    return this.of('LocalChangeDetected').filter((data) => data.action === 'deleted').length
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    if (this.#done !== undefined) await this.while(this.#done)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await settle()
    assert.equal(this.platform.clock.sleepingCount, 0, 'somebody sleeps after the stop')
    await this.store[Symbol.asyncDispose]()
  }
}
