import assert from 'node:assert/strict'
import type { Config } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import type { DeviceId, FolderId } from '../../../src/core/ids.ts'
import type { FolderIndex, IndexStore } from '../../../src/db/types.ts'
import { ModelSignals } from '../../../src/model/signals.ts'
import { Peers } from '../../../src/model/peers/peers.ts'
import { RequestRefused } from '../../../src/protocol/errors.ts'
import type { BlockRequest, Connection, DownloadUpdate, ProtocolHandler } from '../../../src/protocol/types.ts'
import { Statistics } from '../../../src/stats/stats.ts'
import { Mutex } from '../../../src/sync/mutex.ts'
import { DiskBlockReader } from '../../../src/platform/files/disk-block-reader.ts'
import { FolderRoots } from '../../../src/model/state/folder-roots.ts'
import { SharedMutex } from '../../../src/sync/shared-mutex.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { simFolderKeys } from '../../../src/platform/sim/folder-keys.ts'
import { SimDisk } from '../../../src/platform/sim/disk.ts'
import { allRecords, file, openTestStore } from '../../db/records.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../../support/config.ts'
import { quietLogger } from '../../support/logger.ts'
import { DOCS, settle, simConfig, simFolder } from '../../support/model.ts'

export const REQUEST: BlockRequest = {
  folder: DOCS,
  name: 'a',
  offsetBytes: 0,
  sizeBytes: 1,
  hash: new Uint8Array(32),
  fromTemporary: false,
  blockNumber: 0,
}

/** One end of a connection that carries calls instead of bytes, in order. */
export class End implements Connection {
  readonly device: DeviceId
  readonly connectionId: string
  readonly hello = { deviceName: 'name', clientName: 'test', clientVersion: 'v0', numConnections: 3, timestampNs: 1n }
  readonly transport = 'tcp-client'
  readonly remoteAddress = '127.0.0.1:1'
  readonly isLocal = true
  readonly crypto = 'none'
  readonly establishedMs = 0
  readonly priority = 10
  readonly idleMs = 0
  readonly inBytesTotal = 0
  readonly outBytesTotal = 0
  readonly messages = { sent: 0, sentBytes: 0, received: 0, receivedBytes: 0 }
  readonly sent: string[] = []
  /** Folders of which the other end accepted the download progress. */
  readonly acceptedProgress: string[] = []
  readonly #stop = new AbortController()
  readonly #order = new Mutex()
  readonly #handler = Promise.withResolvers<ProtocolHandler>()
  other: End | undefined
  /** Number of messages that are delivered; later ones are lost. */
  deliveredMax = Number.POSITIVE_INFINITY

  constructor(device: DeviceId, connectionId: string) {
    this.device = device
    this.connectionId = connectionId
  }

  get closed(): AbortSignal {
    return this.#stop.signal
  }

  async run(handler: ProtocolHandler): Promise<void> {
    this.#handler.resolve(handler)
    await new Promise<void>((resolve) => this.closed.addEventListener('abort', () => resolve(), { once: true }))
  }

  clusterConfig(config: Parameters<Connection['clusterConfig']>[0]): Promise<void> {
    return this.#deliver(`cluster-config${config.secondary ? ' secondary' : ''}`, (handler) =>
      handler.clusterConfig(config),
    )
  }

  index(data: Parameters<Connection['index']>[0]): Promise<void> {
    return this.#deliver('index', async (handler) => {
      if (await handler.acceptsIndex(data.folder)) await handler.index(data)
    })
  }

  indexUpdate(data: Parameters<Connection['index']>[0]): Promise<void> {
    return this.#deliver('index-update', async (handler) => {
      if (await handler.acceptsIndex(data.folder)) await handler.indexUpdate(data)
    })
  }

  async request(request: BlockRequest): Promise<Uint8Array> {
    this.sent.push('request')
    const reply = await (await this.other!.#handler.promise).request(request, this.closed)
    if (reply.kind === 'refused') throw new RequestRefused(reply.code)
    return reply.data
  }

  downloadProgress(folder: string, updates: readonly DownloadUpdate[] = []): Promise<void> {
    return this.#deliver('download-progress', async (handler) => {
      if (!(await handler.acceptsDownloadProgress(folder))) return
      this.acceptedProgress.push(folder)
      await handler.downloadProgress(folder, updates)
    })
  }

  async close(reason: string): Promise<void> {
    for (const end of [this, this.other!]) end.#stop.abort(new Error(reason))
  }

  async #deliver(what: string, act: (handler: ProtocolHandler) => Promise<void>): Promise<void> {
    this.closed.throwIfAborted()
    this.sent.push(what)
    if (this.sent.length > this.deliveredMax) return
    const other = this.other!
    using _lock = await other.#order.lock()
    try {
      if (!this.closed.aborted) await act(await other.#handler.promise)
    } catch (error) {
      await this.close(`refused: ${String(error)}`)
    }
  }
}

export function connectionBetween(a: DeviceId, b: DeviceId, name: string): readonly [End, End] {
  const ends = [new End(b, name), new End(a, name)] as const
  ends[0].other = ends[1]
  ends[1].other = ends[0]
  return ends
}

interface Sharing {
  readonly folders: readonly string[]
  readonly members: readonly DeviceId[]
}

/** A device with an index and connections, and a disk that is empty at first. */
export class Device {
  readonly id: DeviceId
  readonly index: FolderIndex
  readonly peers: Peers
  readonly pulls: string[] = []
  readonly events: string[] = []
  config: Config
  readonly signals = new ModelSignals()
  readonly disk: SimDisk
  /** Folders whose index cannot be opened, with the rejection. */
  readonly failures = new Map<FolderId, Promise<never>>()
  /** Folders that reported a failure of their index. */
  readonly unusable = new Set<FolderId>()
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  private constructor(
    id: DeviceId,
    clock: SimClock,
    store: IndexStore,
    index: FolderIndex,
    { folders, members }: Sharing,
  ) {
    const devices = members.map((deviceID) => ({ deviceID, introducedBy: '' as const, encryptionPassword: '' }))
    this.id = id
    this.index = index
    this.disk = new SimDisk(clock)
    this.config = {
      ...simConfig(folders.map((folder) => simFolder(folder, { devices }))),
      devices: devices.map(({ deviceID }) => ({ ...defaultsOf(DEVICE), deviceID, name: 'name' })),
    }
    this.signals.exchangeFailed.listen(({ folder }) => this.setUsable(folder, false))
    this.signals.pullWanted.listen((folder) => this.pulls.push(folder))
    const roots = new FolderRoots({ clock, random: nodeRandom })
    this.peers = new Peers(
      {
        clock,
        random: nodeRandom,
        disk: this.disk,
        folderKeys: simFolderKeys,
        store: { folder: (folder) => this.failures.get(folder) ?? store.folder(folder) },
        blocks: new DiskBlockReader(new SimDisk(clock)),
        platform: 'linux',
        log: quietLogger('model'),
        events: { emit: (type) => void this.events.push(type) },
        statistics: new Statistics({ keyValue: store.keyValue, log: quietLogger('stats') }),
        signals: this.signals,
        roots: {
          lock: () => new SharedMutex(),
          continuity: (folder) => roots.continuity(folder),
          get: (folder) =>
            this.config.folders.some(({ id: known, paused }) => known === folder && !paused) &&
            !this.unusable.has(folder)
              ? '/data'
              : undefined,
        },
        foldersOffered: () => {},
        onClusterConfig: () => {},
        nameDevice: () => {},
      },
      { config: this.config, ownDevice: id },
    )
    this.#running = this.peers.run(this.#stop.signal)
  }

  static async make(id: DeviceId, clock: SimClock, store: IndexStore, sharing: Sharing): Promise<Device> {
    return new Device(id, clock, store, await store.folder(DOCS), sharing)
  }

  /** As the folder's loop does when its index fails and when it works again. */
  setUsable(folder: FolderId, isUsable: boolean): void {
    if (isUsable) this.unusable.delete(folder)
    else this.unusable.add(folder)
    this.signals.usabilityChanged.emit(folder)
  }

  async add(...names: string[]): Promise<void> {
    await this.index.records.updateLocal(names.map((name) => file(name)))
    this.signals.localIndexChanged.emit(DOCS)
  }

  async pause(paused: boolean): Promise<void> {
    const from = this.config
    this.config = { ...from, folders: from.folders.map((folder) => ({ ...folder, paused })) }
    await this.peers.release(this.config)
    await this.peers.apply(from, this.config)
  }

  async receivedNames(other: Device): Promise<string> {
    return (await allRecords(this.index, other.id)).map(({ name }) => name).join(' ')
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

export class DevicePair implements AsyncDisposable {
  readonly clock = new SimClock()
  readonly #stores: IndexStore[] = []
  devices: readonly Device[] = []

  /** Two devices that share these folders, not connected yet. */
  static async make(
    folders: readonly string[] = ['docs'],
  ): Promise<DevicePair & { readonly devices: readonly [Device, Device] }> {
    const pair = new DevicePair()
    const sharing = { folders, members: [LOCAL_ID, SERVER] }
    const devices = [await pair.#add(LOCAL_ID, sharing), await pair.#add(SERVER, sharing)] as const
    return Object.assign(pair, { devices })
  }

  /** With a third device. */
  static async makeThree(): Promise<DevicePair & { readonly devices: readonly [Device, Device, Device] }> {
    const three = new DevicePair()
    const sharing = { folders: ['docs'], members: [LOCAL_ID, SERVER, LAPTOP] }
    const [a, b] = [await three.#add(LOCAL_ID, sharing), await three.#add(SERVER, sharing)]
    return Object.assign(three, { devices: [a, b, await three.#add(LAPTOP, sharing)] as const })
  }

  async #add(id: DeviceId, sharing: Sharing): Promise<Device> {
    const store = await openTestStore(undefined)
    this.#stores.push(store)
    return await Device.make(id, this.clock, store, sharing)
  }

  async pass(ms: number): Promise<void> {
    for (let i = 0; i < 20; i++) await settle()
    await this.clock.advance(ms, settle)
    for (let i = 0; i < 20; i++) await settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const device of this.devices) {
      const stopped = device.stop()
      await this.pass(0)
      await stopped
    }
    assert.equal(this.clock.sleepingCount, 0, 'a timer is left after the stop')
    for (const store of this.#stores) await store[Symbol.asyncDispose]()
  }
}
