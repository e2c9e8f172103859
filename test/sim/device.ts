import { EXTENSIONS, FOLDER_EXTENSIONS, type FolderExtensions } from '../../src/core/config/extensions.ts'
import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import type { ConflictRules } from '../../src/core/records/need.ts'
import { MemoryDatabases } from '../../src/db/sqlite/memory-databases.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { folderStatusJson } from '../../src/http/views/folder-status.ts'
import { EventBus } from '../../src/events/bus.ts'
import { Log } from '../../src/events/log.ts'
import { EVENT_TYPES, type CompletionData, type Event } from '../../src/events/types.ts'
import { Network } from '../../src/main/network.ts'
import { loadFolderCode, Model } from '../../src/model/model.ts'
import { Mover, type MoverDeps } from '../../src/model/move/mover.ts'
import { Rewinder, type RewinderDeps } from '../../src/model/rewind/rewinder.ts'
import { ModelSignals } from '../../src/model/signals.ts'
import { FolderRoots } from '../../src/model/state/folder-roots.ts'
import { Statistics } from '../../src/stats/stats.ts'
import { supervise } from '../../src/sync/supervisor.ts'
// Loaded at the first use otherwise, which would schedule the first run of a process differently from later ones.
import '../../src/versioner/versioner.ts'
import type { BlockResult, BlockOrder, BlockReader } from '../../src/platform/files/block-reader.ts'
import { SimDisk, type SimDiskOptions } from '../../src/platform/sim/disk.ts'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import type { SimClock } from '../../src/platform/sim/clock.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import type { SimRandom } from '../../src/platform/sim/random.ts'
import type { SimWatcher } from '../../src/platform/sim/watcher.ts'
import { simPorts } from '../../src/platform/sim/platform.ts'
import { DeviceStore } from './device-store.ts'
import { DOCS } from '../support/model.ts'
import { withSavedPath } from '../support/saved-path.ts'
import { Forger } from './byzantine.ts'
import type { Tamperer } from './tamperer.ts'
import { Received } from './received.ts'
import { WireCheck } from './wire-check.ts'
import { deviceConfig, DeviceSettings, ROOT } from './device-config.ts'
import { Incarnation, DeviceClock, killable, killableClock, killableDisk, killableWalker } from './incarnation.ts'
import type { Trace } from './trace.ts'

await loadFolderCode() // folders start synchronously, as in a daemon

export { ROOT }

export interface DeviceSetup {
  readonly name: string
  readonly clock: SimClock
  readonly network: SimNetwork
  readonly random: SimRandom
  readonly trace: Trace
  readonly disk: SimDiskOptions
  readonly folder: Partial<FolderConfig>
  onEvent(event: Event): void
  /** The device served a block that differs from its file. */
  onBadBlock(): void
  /** Replaces what a byzantine device announces and serves. */
  readonly forger?: Forger | Tamperer | undefined
  readonly rules?: ConflictRules | undefined
  /** Its folder can be moved to other directories. */
  readonly isMovable?: boolean
  /** Facilities whose debug lines are in the trace. */
  readonly facilities?: string
}

/** The state of a device at an earlier time. */
export interface Backup {
  readonly items: ReadonlyMap<string, SimItem>
  readonly databases: MemoryDatabases
}

/** What exists while the device is on. */
interface Running {
  readonly incarnation: Incarnation
  readonly stop: AbortController
  readonly model: Model
  readonly network: Network
  readonly config: DeviceSettings
  readonly mover: Mover | undefined
  readonly rewinder: Rewinder | undefined
  readonly watcher: SimWatcher
  readonly work: Statistics['work']
  readonly done: Promise<unknown>
}

/** Folders of a simulation are not accepted automatically. */
const NO_SETTINGS = { change: async () => EXTENSIONS }

/**
 * One device with its disk, its index and its clock. Model, peers and connections are wired as `main/daemon.ts` wires
 * them; REST and the files of the home are left out. The index survives a power loss: it is opened once.
 */
export class SimDevice {
  readonly name: string
  readonly id: DeviceId
  readonly disk: SimDisk
  readonly clock: DeviceClock
  readonly store: DeviceStore
  readonly watching: boolean
  readonly folderType: FolderConfig['type']
  /** Of a device that stores encrypted data. */
  readonly wire = new WireCheck()
  readonly received = new Received()
  readonly #setup: DeviceSetup
  readonly #certificate: string
  #neighbours: readonly SimDevice[] = []
  #running: Running | undefined
  starts = 0
  /** Files that other devices delete stay on it. */
  collects = false
  /** An unusual loss of files is held on it. */
  guards = false
  /** The share of the disk that old versions may have. */
  versionsPercentMax = 0
  /** What it does with conflicting edits of texts. */
  merge: FolderExtensions['merge'] = 'off'
  mergeUnion: readonly string[] = []
  /** This many of the next blocks served are corrupted, as by bad memory. */
  badBlocks = 0
  /** Files and symlinks that it is removing, or replacing and creating, because other devices did. */
  readonly changing = new Map<string, 'delete' | 'update'>()
  /** Of all incarnations. */
  readonly #stops: AbortController[] = []

  constructor(setup: DeviceSetup) {
    this.name = setup.name
    this.#setup = setup
    this.#certificate = Buffer.from(setup.random.stream('certificate').bytes(64)).toString('base64')
    this.id = deviceIdFromCertificate(Buffer.from(this.#certificate, 'base64'))
    this.clock = new DeviceClock(setup.clock)
    this.disk = new SimDisk(this.clock, setup.disk)
    this.store = new DeviceStore({ disk: this.disk, clock: this.clock, random: setup.random, rules: setup.rules })
    this.watching = setup.folder.fsWatcherEnabled ?? false
    this.folderType = setup.folder.type ?? 'sendreceive'
  }

  get isOn(): boolean {
    return this.#running !== undefined
  }

  get incarnation(): Incarnation | undefined {
    return this.#running?.incarnation
  }

  /** What this device shows of another; of itself without one. */
  async completion(other?: SimDevice): Promise<CompletionData | undefined> {
    return await this.#running?.network.completions.completion(DOCS, other?.id)
  }

  get isHonest(): boolean {
    return this.#setup.forger === undefined
  }

  get #isTrusted(): boolean {
    return this.folderType !== 'receiveencrypted'
  }

  get model(): Model | undefined {
    return this.#running?.model
  }

  get rewinder(): Rewinder | undefined {
    return this.#running?.rewinder
  }

  get mover(): Mover | undefined {
    return this.#running?.mover
  }

  /** Where its folder is, as its settings say. */
  get root(): string {
    return (this.#running?.config.current ?? this.#config).folders[0]?.path ?? ROOT
  }

  get #config(): Config {
    return withSavedPath(this.disk, deviceConfig([this, ...this.#neighbours], this.#setup.folder))
  }

  /** Counters of its own work since the start. */
  get work(): Statistics['work'] | undefined {
    return this.#running?.work
  }

  get neighbours(): readonly SimDevice[] {
    return this.#neighbours
  }

  /** Before the first start. */
  async prepare(neighbours: readonly SimDevice[]): Promise<void> {
    this.#neighbours = neighbours
    await this.disk.makeDirectories(`${ROOT}/.stfolder`, 0o755)
    await this.disk.makeDirectories('/home/me/index', 0o700)
    if (this.#setup.isMovable === true) await this.disk.makeDirectories('/mnt', 0o777)
    this.disk.syncAll()
    await this.store.open()
  }

  backUp(): Backup {
    return { items: this.disk.direct.tree(ROOT), databases: this.store.copy() }
  }

  /** Only while it is off. */
  async loseIndex(): Promise<void> {
    await this.store.replace(new MemoryDatabases())
  }

  /** Only while it is off. */
  async restoreHome({ databases }: Backup): Promise<void> {
    await this.store.replace(databases.copy())
  }

  async index(): Promise<FolderIndex> {
    return await this.store.index()
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.store.store === undefined) return
    if (this.starts > 0) await this.store.reopen()
    const opened = this.store.store
    const incarnation = new Incarnation()
    const { trace } = this.#setup
    trace.add(this.name, `starts (${++this.starts})`)
    const clock = killableClock(this.clock, incarnation)
    const random = this.#setup.random.stream(`run ${this.starts}`)
    const ports = simPorts(killableDisk(this.disk, incarnation, this.clock), this.#setup.network, this.name)
    const platform = {
      ...ports,
      clock,
      random,
      walker: killableWalker(ports.walker, incarnation),
      net: killable(this.received.counting(this.#isTrusted ? ports.net : this.wire.inspecting(ports.net)), incarnation),
      blocks: { read: (order: BlockOrder) => this.#readBlock(ports.blocks, order) },
    }
    const { forger } = this.#setup
    const store = killable(this.store.asUsed(forger?.announcing(opened) ?? opened), incarnation)
    const log = new Log(
      { clock, write: (line) => incarnation.isEnded || trace.add(this.name, line.replace(/^\S+ \S+ /, '')) },
      { level: 'INFO', format: 'text', trace: this.#setup.facilities ?? '' },
    )
    const events = new EventBus({ clock, log: log.logger('events') })
    const stop = new AbortController()
    this.#stops.push(stop)
    events.listen(new Set(EVENT_TYPES), (event) => incarnation.isEnded || this.#setup.onEvent(event), stop.signal)
    const logger: Log['logger'] = (facility) => log.logger(facility)
    const statistics = new Statistics({ keyValue: store.keyValue, log: logger('stats') })
    const config = new DeviceSettings(platform.disk, this.#config)
    const identity = { certificatePem: this.#certificate, keyPem: '' }
    const signals = new ModelSignals()
    const roots = new FolderRoots(platform)
    const network: Network = await Network.open(
      { platform, store, events, statistics, config, extensions: NO_SETTINGS, logger, signals, roots },
      { ownDevice: this.id, identity, clientVersion: 'v1.0.0', userHome: '/home/me' },
    )
    const model: Model = new Model(
      {
        platform,
        store,
        events,
        statistics,
        logger,
        signals,
        roots,
        sources: network.peers,
        extensions: () => this.#settings(),
        summaryOf: folderStatusJson,
      },
      {
        config: config.current,
        ownDevice: this.id,
        userHome: '/home/me',
        databaseDirectory: '/home/me/index',
        keptDirectory: '/home/me/kept',
      },
    )
    config.subscribe(async (from, to) => {
      await network.release(to)
      await model.apply(from, to)
      await network.apply(from, to)
    })
    const parts = { platform, store, config, folders: model, sources: network.peers, log: logger('model') }
    const mover = await this.#startMover(parts)
    const rewinder = await this.#startRewinder(parts)
    const failed = (name: string) => (error: unknown) => log.logger('main').error(`${name} failed: ${String(error)}`)
    const done = Promise.all(
      [model, ...network.services, ...[mover, rewinder].filter((each) => each !== undefined)].map(async (service) => {
        await supervise(service, clock, failed(service.name), stop.signal)
      }),
    )
    this.#running = {
      incarnation,
      stop,
      model,
      network,
      config,
      mover,
      rewinder,
      watcher: ports.watcher,
      work: statistics.work,
      done,
    }
  }

  #settings(): FolderExtensions {
    const { collects: collect, guards: guard, merge, mergeUnion, versionsPercentMax } = this
    return { ...FOLDER_EXTENSIONS, collect, guard, merge, mergeUnion, versionsPercentMax }
  }

  async #startMover(deps: MoverDeps): Promise<Mover | undefined> {
    if (this.#setup.isMovable !== true) return undefined
    const mover = new Mover(deps, {
      journalFile: '/home/me/moves.json',
      userHome: '/home/me',
      homes: ['/home/me/index', '/home/me/kept'],
    })
    await mover.load()
    return mover
  }

  async #startRewinder(deps: RewinderDeps): Promise<Rewinder | undefined> {
    if (this.#setup.isMovable !== true) return undefined
    const rewinder = new Rewinder(deps, { journalFile: '/home/me/rewinds.json', userHome: '/home/me' })
    await rewinder.load()
    return rewinder
  }

  /** Cuts the power. Of unsynced data a random part survives. */
  crash(): void {
    if (this.#running === undefined) return
    this.#setup.trace.add(this.name, 'loses power')
    this.#running.incarnation.end()
    this.changing.clear()
    this.#running.watcher.deaf = true // it stays subscribed; the killed process must not receive events
    this.#running = undefined
    this.#setup.network.unplug(this.name)
    this.disk.crash(this.#setup.random.stream(`crash ${this.starts}`))
  }

  /** Shuts down cleanly; the caller advances the clock meanwhile. */
  async stop(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#setup.trace.add(this.name, 'stops')
    running.stop.abort(new Error('the device is stopping'))
    await Promise.race([running.done, running.incarnation.ended]) // a crash may happen meanwhile
    if (this.#running !== running) return
    running.incarnation.end()
    this.#running = undefined
    this.#setup.network.unplug(this.name)
  }

  /** Neighbours without a connection to this device. */
  get missing(): readonly string[] {
    const devices = this.#running?.network.connections.status().devices
    return this.#neighbours.filter(({ id }) => devices?.has(id) !== true).map(({ name }) => name)
  }

  /**
   * Whether the device has just checked this path and changes it at the same moment, in a way that loses an edit in
   * between: its metadata alone, or by a replacement on a disk without exchanges. All other edits count.
   */
  isActingOn(path: string): boolean {
    const action = this.changing.get(path)
    if (action === 'delete' || (action === 'update' && this.#setup.disk.exchanges !== false)) return false
    return this.#running?.incarnation.wasJustStatted(`${ROOT}/${path}`, this.clock.monotonicMs()) ?? false
  }

  /** Whether the device created a directory there at this moment of the clock. */
  hasJustMade(path: string): boolean {
    return this.#running?.incarnation.hasJustMade(`${ROOT}/${path}`, this.clock.monotonicMs()) ?? false
  }

  async close(): Promise<void> {
    // The runtime retains the listeners of a signal that depends on others until it aborts.
    for (const stop of this.#stops) stop.abort()
    await this.store.close()
  }

  async #readBlock(blocks: BlockReader, order: BlockOrder): Promise<BlockResult> {
    const read = await blocks.read(order)
    const { forger } = this.#setup
    const result = forger === undefined || forger instanceof Forger ? read : forger.served(order, read)
    if (result.kind !== 'read' || result.data.length === 0 || this.badBlocks === 0) return result
    this.badBlocks--
    result.data[0]! ^= 0xff // there is one
    this.#setup.onBadBlock()
    return result
  }
}
