import type { ConfigStore } from '../../src/config/types.ts'
import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import { DEVICE, defaultsOf } from '../../src/core/config/config-fields.ts'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { openStore } from '../../src/db/store.ts'
import type { FolderIndex, IndexStore } from '../../src/db/types.ts'
import { folderStatusJson } from '../../src/http/views/folder-status.ts'
import { EventBus } from '../../src/events/bus.ts'
import { Log } from '../../src/events/log.ts'
import { EVENT_TYPES, type Event } from '../../src/events/types.ts'
import { Network } from '../../src/main/network.ts'
import { Model } from '../../src/model/model.ts'
import { Statistics } from '../../src/stats/stats.ts'
import { supervise } from '../../src/sync/supervisor.ts'
// Loaded at the first use otherwise: the first life of a process would take other turns than the same life later on.
import '../../src/versioner/versioner.ts'
import type { BlockAnswer, BlockOrder, BlockReader } from '../../src/platform/files/block-reader.ts'
import { SimDisk, type SimDiskOptions } from '../../src/platform/sim/disk.ts'
import type { SimClock } from '../../src/platform/sim/clock.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import type { SimRandom } from '../../src/platform/sim/random.ts'
import type { SimWatcher } from '../../src/platform/sim/watcher.ts'
import { simPorts } from '../../src/platform/sim/platform.ts'
import { DOCS, simConfig, simFolder } from '../support/model.ts'
import { Life, MachineClock, mortal, mortalClock, mortalDisk, mortalWalker } from './life.ts'
import type { Trace } from './trace.ts'

export const ROOT = '/data/docs'
const PORT = 22_000

export interface DeviceSetup {
  readonly name: string
  readonly clock: SimClock
  readonly network: SimNetwork
  readonly random: SimRandom
  readonly trace: Trace
  readonly disk: SimDiskOptions
  readonly folder: Partial<FolderConfig>
  onEvent(event: Event): void
  /** It gave others what is not in its file. */
  onBadBlock(): void
}

/** What exists while the device is on. */
interface Running {
  readonly life: Life
  readonly stop: AbortController
  readonly model: Model
  readonly network: Network
  readonly watcher: SimWatcher
  readonly work: Statistics['work']
  readonly done: Promise<unknown>
}

/**
 * One device with its disk, its index and its clock. Hub, peers and connections are wired as `main/daemon.ts` wires
 * them; REST and the files of the home are left out. The index is what survives a loss of power: it is opened once.
 */
export class SimDevice {
  readonly name: string
  readonly id: DeviceId
  readonly disk: SimDisk
  readonly clock: MachineClock
  readonly watching: boolean
  readonly folderType: FolderConfig['type']
  readonly #setup: DeviceSetup
  readonly #certificate: string
  #neighbours: readonly SimDevice[] = []
  #store: IndexStore | undefined
  #running: Running | undefined
  starts = 0
  /** So many of the next blocks for others are not what was read: its memory is bad. */
  badBlocks = 0
  /** What it is taking from its disk right now, because others deleted it. */
  readonly removing = new Set<string>()
  /** Of all lives. */
  readonly #stops: AbortController[] = []

  constructor(setup: DeviceSetup) {
    this.name = setup.name
    this.#setup = setup
    this.#certificate = Buffer.from(setup.random.stream('certificate').bytes(64)).toString('base64')
    this.id = deviceIdFromCertificate(Buffer.from(this.#certificate, 'base64'))
    this.clock = new MachineClock(setup.clock)
    this.disk = new SimDisk(this.clock, setup.disk)
    this.watching = setup.folder.fsWatcherEnabled ?? false
    this.folderType = setup.folder.type ?? 'sendreceive'
  }

  get isOn(): boolean {
    return this.#running !== undefined
  }

  get life(): Life | undefined {
    return this.#running?.life
  }

  get model(): Model | undefined {
    return this.#running?.model
  }

  /** What it counts of its own work, since it started. */
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
    this.disk.syncAll()
    const quiet = new Log({ clock: this.clock, write: () => {} }, { level: 'ERROR', format: 'text', trace: '' })
    const random = this.#setup.random.stream('store')
    this.#store = await openStore({
      directory: undefined,
      disk: this.disk,
      clock: this.clock,
      random,
      log: quiet.logger('db'),
    })
  }

  async index(): Promise<FolderIndex> {
    if (this.#store === undefined) throw new Error('a device is prepared before anything else')
    return await this.#store.folder(DOCS)
  }

  async start(): Promise<void> {
    if (this.#running !== undefined || this.#store === undefined) return
    const life = new Life()
    const { trace } = this.#setup
    trace.add(this.name, `starts (${++this.starts})`)
    const clock = mortalClock(this.clock, life)
    const random = this.#setup.random.stream(`life ${this.starts}`)
    const ports = simPorts(mortalDisk(this.disk, life, this.clock), this.#setup.network, this.name)
    const platform = {
      ...ports,
      clock,
      random,
      walker: mortalWalker(ports.walker, life),
      net: mortal(ports.net, life),
      blocks: { read: (order: BlockOrder) => this.#readBlock(ports.blocks, order) },
    }
    const store = mortal(this.#store, life)
    const log = new Log(
      { clock, write: (line) => life.over || trace.add(this.name, line.replace(/^\S+ \S+ /, '')) },
      { level: 'INFO', format: 'text', trace: '' },
    )
    const events = new EventBus({ clock, log: log.logger('events') })
    const stop = new AbortController()
    this.#stops.push(stop)
    events.listen(new Set(EVENT_TYPES), (event) => life.over || this.#setup.onEvent(event), stop.signal)
    const logger: Log['logger'] = (facility) => log.logger(facility)
    const statistics = new Statistics({ keyValue: store.keyValue, log: logger('stats') })
    const config = fixedConfig(this.#config())
    const identity = { certificatePem: this.#certificate, keyPem: '' }
    const network: Network = await Network.open(
      { platform, store, events, statistics, config, logger, folders: () => model },
      { ownDevice: this.id, identity, clientVersion: 'v1.0.0', userHome: '/home/me' },
    )
    const model: Model = new Model(
      { platform, store, events, statistics, logger, sources: network.peers, summaryOf: folderStatusJson },
      { config: config.current, ownDevice: this.id, userHome: '/home/me', databaseDirectory: '/home/me/index' },
    )
    const failed = (name: string) => (error: unknown) => log.logger('main').error(`${name} failed: ${String(error)}`)
    const done = Promise.all(
      [model, ...network.services].map(async (service) => {
        await supervise(service, clock, failed(service.name), stop.signal)
      }),
    )
    this.#running = { life, stop, model, network, watcher: ports.watcher, work: statistics.work, done }
  }

  /** Loses power now. Of what was not synced chance says what stays. */
  crash(): void {
    if (this.#running === undefined) return
    this.#setup.trace.add(this.name, 'loses power')
    this.#running.life.end()
    this.removing.clear()
    this.#running.watcher.deaf = true // it stays subscribed, and nobody is there to listen
    this.#running = undefined
    this.#setup.network.unplug(this.name)
    this.disk.crash(this.#setup.random.stream(`crash ${this.starts}`))
  }

  /** Ends in order; whoever calls lets time pass meanwhile. */
  async stop(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#setup.trace.add(this.name, 'stops')
    running.stop.abort(new Error('the device is stopping'))
    await Promise.race([running.done, running.life.ended]) // the power may go meanwhile
    if (this.#running !== running) return
    running.life.end()
    this.#running = undefined
    this.#setup.network.unplug(this.name)
  }

  /** Neighbours that are not connected, as we see it. */
  get missing(): readonly string[] {
    const devices = this.#running?.network.connections.status().devices
    return this.#neighbours.filter(({ id }) => devices?.has(id) !== true).map(({ name }) => name)
  }

  /**
   * Whether the device has just made sure of what is at this path and acts upon it, in this very moment. No program can
   * look and replace at once; an edit that falls in between is lost on every system, and held against nobody here. What
   * is removed is looked at once more when it is out of reach: there every edit counts.
   */
  isActingUpon(path: string): boolean {
    if (this.removing.has(path)) return false
    return this.#running?.life.hasJustLookedAt(`${ROOT}/${path}`, this.clock.monotonicMs()) ?? false
  }

  /** Whether the device has made a directory there in this very moment. */
  hasJustMade(path: string): boolean {
    return this.#running?.life.hasJustMade(`${ROOT}/${path}`, this.clock.monotonicMs()) ?? false
  }

  async close(): Promise<void> {
    // The runtime remembers whoever listens to a signal that was made of others, until it aborts. Nobody acts upon it.
    for (const stop of this.#stops) stop.abort()
    await this.#store?.[Symbol.asyncDispose]()
  }

  async #readBlock(blocks: BlockReader, order: BlockOrder): Promise<BlockAnswer> {
    const answer = await blocks.read(order)
    if (answer.kind !== 'read' || answer.data.length === 0 || this.badBlocks === 0) return answer
    this.badBlocks--
    answer.data[0]! ^= 0xff // there is one
    this.#setup.onBadBlock()
    return answer
  }

  #config(): Config {
    const all = [this, ...this.#neighbours]
    const folder = simFolder('docs', {
      path: ROOT,
      rescanIntervalS: 60,
      pullerPauseS: 2,
      maxConflicts: -1,
      fsWatcherDelayS: 1,
      devices: all.map(({ id }) => ({ deviceID: id, introducedBy: '', encryptionPassword: '' })),
      ...this.#setup.folder,
    })
    const base = simConfig([folder])
    return {
      ...base,
      devices: all.map(({ id, name }) => ({
        ...defaultsOf(DEVICE),
        deviceID: id,
        name,
        addresses: [`tcp://${name}:${PORT}`],
        compression: 'never',
      })),
      options: {
        ...base.options,
        listenAddresses: [`tcp://:${PORT}`],
        globalAnnounceEnabled: false,
        localAnnounceEnabled: false,
        relaysEnabled: false,
        natEnabled: false,
        crashReportingEnabled: false,
        reconnectionIntervalS: 5,
        urAccepted: -1,
      },
    }
  }
}

/** A configuration that nobody changes. */
function fixedConfig(config: Config): ConfigStore {
  return { current: config, restartRequired: false, change: async () => config, subscribe: () => {} }
}
