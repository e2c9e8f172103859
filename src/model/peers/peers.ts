import { detach, messageOf } from '../../core/errors.ts'
import type { Config } from '../../core/config/config.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { pausedOrResumed } from '../../core/config/config-diff.ts'
import { shortIdOf } from '../../core/device-id.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import type { BlockRequest, Connection, DownloadUpdate } from '../../protocol/types.ts'
import { foldersSharedWith, isHiddenFrom } from './cluster-config.ts'
import { decryptReply, encryptRequest } from '../encryption/encrypted-requests.ts'
import { FolderEncryption } from '../encryption/folder-encryption.ts'
import { HolderCache } from '../state/holder-cache.ts'
import { Disagreements, type Disagreement } from './disagreements.ts'
import { Peer } from './peer.ts'
import type { PeersDeps, PeersOptions, RemoteState } from './peer-deps.ts'
import { RequestServer, type ServedFolder } from './request-server.ts'
import type { BlockSource, FileSharing, RecordsListener, Sources } from '../state/sources.ts'
import { slept } from '../../sync/slept.ts'
import { turnsOf } from '../../sync/turns.ts'
import { TaskSet } from '../../sync/task-set.ts'

/** With several connections others may still open or close: the choice of the primary one is delayed this long. */
const PROMOTION_DELAY_MS = 1_000
/**
 * A device that alone has blocks or files which others need counts as slower by this factor for what another one has as
 * well. For the blocks of one file that is a device with the complete file.
 */
const SPARED_FACTOR = 8

/** More of them get their new cluster configs one after the other, each in a turn of the event loop. */
const PEERS_PER_TURN = 8

/** The connected devices: their records, their requests, and the choice of sources for blocks. */
export class Peers implements Sources {
  readonly name = 'model/peers'
  readonly #deps: PeersDeps
  readonly #own: DeviceId
  readonly #server: RequestServer
  readonly #encryption: FolderEncryption
  readonly #peers = new Map<DeviceId, Peer>()
  readonly #holders = new HolderCache()
  /** The pulls that exchange files with other devices; a folder has one at a time. */
  readonly #sharing = new Map<FolderId, { readonly listener: RecordsListener; readonly spared: Set<DeviceId> }>()
  readonly #disagreements: Disagreements
  readonly #restartedMs = new Map<FolderId, number>()
  readonly #tasks = new TaskSet()
  readonly #stop = new AbortController()
  #config: Config
  #sharedFolders: { readonly config: Config; readonly folders: Map<DeviceId, ReadonlyMap<string, FolderId>> }

  constructor(deps: PeersDeps, { config, ownDevice }: PeersOptions) {
    this.#deps = deps
    this.#own = ownDevice
    this.#config = config
    this.#sharedFolders = { config, folders: new Map() }
    this.#encryption = new FolderEncryption(deps, config)
    this.#disagreements = new Disagreements(deps.log, deps.clock)
    this.#server = new RequestServer({
      random: deps.random,
      blocks: deps.blocks,
      log: deps.log,
      platform: deps.platform,
      ...(deps.folderRates !== undefined && { folderRates: deps.folderRates }),
      served: (device, folder) => this.#served(device, folder),
      changed: (folder, record, wholly) => deps.signals.itemDiffers.emit({ folder, record, contentOnly: wholly }),
    })
    this.#setLimits()
    deps.signals.localIndexChanged.listen((folder) => this.#localIndexChanged(folder))
    deps.signals.indexLost.listen((folder) => this.#indexLost(folder))
    deps.signals.indexRestarted.listen((folder) => this.#closeExchanges(folder, 'the index of a folder was restarted'))
    deps.signals.usabilityChanged.listen(() => this.#reconfigureAll())
  }

  /** Takes over a connection after the Hello exchange and starts to read it. */
  attach(connection: Connection): void {
    if (this.#stop.signal.aborted) return detach(connection.close('shutting down'))
    const device = connection.device
    const peer =
      this.#peers.get(device) ??
      new Peer(
        {
          ...this.#deps,
          ownShortId: shortIdOf(this.#own),
          restartedMs: this.#restartedMs,
          config: () => this.#config,
          encryption: this.#encryption,
          serve: (requester, request, signal) => this.#server.serve(requester, request, signal),
          onDisagreement: (requester, problem) => this.#disagreements.set(requester, problem),
          recordsChanged: (folder, names) => this.#recordsChanged(device, folder, names),
        },
        { own: this.#own, peer: device },
      )
    const first = !peer.connected
    this.#peers.set(device, peer)
    this.#run(this.#runConnection(peer, connection))
    if (first) this.#connected(connection)
    this.#run(first ? peer.promote() : this.#promoteLater(peer, connection))
  }

  /** Runs until the signal aborts, then closes all connections and returns when nothing is under way. */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(new Promise<never>(() => {}), signal).catch(() => {})
    this.#stop.abort()
    await Promise.all([...this.#peers.values()].map((peer) => peer.close('shutting down')))
    await this.#tasks.ended()
  }

  /** Before a new configuration is applied: stops the exchange of folders that it pauses or removes. */
  async release(to: Config): Promise<void> {
    this.#setConfig(to)
    await Promise.all([...this.#peers.values()].map((peer) => peer.release()))
  }

  /** Resolves when cluster configs are queued for all affected devices and every exchange matches the configuration. */
  async apply(from: Config, to: Config): Promise<void> {
    this.#setConfig(to)
    for (const { deviceID: device, paused } of pausedOrResumed(from, to))
      this.#deps.events.emit(paused ? 'DevicePaused' : 'DeviceResumed', { device })
    await Promise.all([...this.#peers.values()].map((peer) => this.#reconfigure(peer)))
  }

  #setConfig(config: Config): void {
    this.#config = config
    this.#encryption.setConfig(config)
    this.#setLimits()
  }

  #localIndexChanged(folder: FolderId): void {
    for (const peer of this.#peers.values()) peer.localIndexChanged(folder)
  }

  /** The records of other devices were lost as well: only new connections bring those back. */
  #indexLost(folder: FolderId): void {
    this.#holders.invalidate(folder, undefined)
    this.#closeExchanges(folder, 'the index of a folder was reset')
  }

  #closeExchanges(folder: FolderId, reason: string): void {
    for (const peer of this.#peers.values()) if (peer.exchange(folder) !== undefined) this.#run(peer.close(reason))
  }

  /** Other devices are informed which folders can be exchanged. */
  #reconfigureAll(): void {
    for (const peer of this.#peers.values()) this.#run(this.#reconfigure(peer))
  }

  async #reconfigure(peer: Peer): Promise<void> {
    if (this.#peers.size > PEERS_PER_TURN) await turnsOf(this.#deps.clock).next()
    await peer.reconfigure()
  }

  /** Folders whose encryption is configured differently here and on another device. */
  get disagreements(): readonly Disagreement[] {
    return this.#disagreements.list(this.#config, (device) => this.isConnected(device))
  }

  isConnected(device: DeviceId): boolean {
    return this.#peers.has(device)
  }

  remoteState(device: DeviceId, folder: FolderId): RemoteState {
    return this.#peers.get(device)?.remoteState(folder) ?? 'unknown'
  }

  /** Bytes of a folder that a device has in files it has not finished. */
  downloadedBytes(device: DeviceId, folder: FolderId): number {
    return this.#peers.get(device)?.exchange(folder)?.downloads.bytes ?? 0
  }

  async sourcesOf(folder: FolderId, file: FileHead, blockNumber: number): Promise<readonly BlockSource[]> {
    const holders = this.#holders.get(folder, file) ?? (await this.#holdersOf(folder, file))
    const found: BlockSource[] = []
    for (const peer of this.#peers.values()) {
      const exchange = peer.exchange(folder)
      if (exchange === undefined) continue
      const whole = holders.has(peer.device)
      if (whole || exchange.downloads.has(file, blockNumber)) found.push({ device: peer.device, fromTemporary: !whole })
    }
    if (found.length < 2) return found
    const nowMs = this.#deps.clock.monotonicMs()
    const spared = this.#sharing.get(folder)?.spared
    const isSpared = ({ device, fromTemporary }: BlockSource) =>
      spared === undefined || spared.size === 0 ? !fromTemporary : spared.has(device)
    const expectedMs = (source: BlockSource) =>
      (this.#peers.get(source.device)?.serviceTime.expectedMs(nowMs) ?? 0) * (isSpared(source) ? SPARED_FACTOR : 1)
    return found.sort((a, b) => expectedMs(a) - expectedMs(b))
  }

  onlySource(folder: FolderId, file: FileHead, holders: readonly DeviceId[]): DeviceId | undefined {
    let only: DeviceId | undefined
    for (const peer of this.#peers.values()) {
      const exchange = peer.exchange(folder)
      if (exchange === undefined) continue
      const isHolder = holders.includes(peer.device)
      if (!isHolder && !exchange.downloads.has(file, 0)) continue
      if (only !== undefined || !isHolder) return undefined
      only = peer.device
    }
    return only
  }

  expectHolders(folder: FolderId): (file: FileHead, holders: readonly DeviceId[]) => void {
    const store = this.#holders.beginLookup(folder)
    return (file, holders) => store(file, new Set(holders))
  }

  request(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    const cipher = this.#encryption.cipherFor(device, request.folder)
    if (cipher !== undefined) return this.#requestEncrypted(device, request, cipher, signal)
    const peer = this.#peers.get(device)
    return peer === undefined ? Promise.reject(notConnected(device)) : peer.request(request, signal)
  }

  async #requestEncrypted(
    device: DeviceId,
    request: BlockRequest,
    derived: Promise<FolderCipher>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const cipher = await derived
    const peer = this.#peers.get(device)
    if (peer === undefined) throw notConnected(device)
    return decryptReply(cipher, request, await peer.request(encryptRequest(cipher, request), signal))
  }

  hasConnectedDevice(folder: FolderId): boolean {
    for (const peer of this.#peers.values()) if (peer.exchange(folder) !== undefined) return true
    return false
  }

  connectedDevices(folder: FolderId): readonly DeviceId[] {
    return [...this.#peers.values()].filter((peer) => peer.exchange(folder) !== undefined).map(({ device }) => device)
  }

  shareFiles(folder: FolderId, listener: RecordsListener): FileSharing {
    const spared = new Set<DeviceId>()
    const sharing = { listener, spared }
    this.#sharing.set(folder, sharing)
    return {
      spare: (device) => void spared.add(device),
      [Symbol.dispose]: () => void (this.#sharing.get(folder) === sharing && this.#sharing.delete(folder)),
    }
  }

  #recordsChanged(device: DeviceId, folder: FolderId, names: readonly string[] | undefined): void {
    this.#holders.invalidate(folder, names)
    this.#sharing.get(folder)?.listener(device, names)
  }

  /** Announces the blocks of unfinished files that are already available here. */
  async sendDownloadProgress(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void> {
    await Promise.allSettled([...this.#peers.values()].map((peer) => peer.sendDownloadProgress(folder, updates)))
  }

  async #holdersOf(folder: FolderId, file: FileHead): Promise<ReadonlySet<DeviceId>> {
    const holders = new Set<DeviceId>()
    const store = this.#holders.beginLookup(folder)
    const index = await this.#deps.store.folder(folder)
    for (const [device, peer] of this.#peers) {
      if (peer.exchange(folder) === undefined) continue
      const record = await index.records.head(device, file.name)
      if (record !== undefined && isHeld(record, file)) holders.add(device)
    }
    store(file, holders)
    return holders
  }

  async #runConnection(peer: Peer, connection: Connection): Promise<void> {
    await peer.run(connection)
    if (peer.connected) return this.#run(this.#promoteLater(peer, connection))
    if (this.#peers.get(peer.device) === peer) this.#peers.delete(peer.device)
    await this.#disconnected(connection)
  }

  /** No delay where there is never a second connection; the first one does not get here. */
  async #promoteLater(peer: Peer, { device, hello }: Connection): Promise<void> {
    const own = this.#config.devices.find(({ deviceID }) => deviceID === device)?.numConnections ?? 0
    if (hello.numConnections > 1 && own !== 1) {
      if (!(await slept(this.#deps.clock, PROMOTION_DELAY_MS, this.#stop.signal))) return
    }
    await peer.promote()
  }

  #connected(connection: Connection): void {
    const { clock, events, log, statistics } = this.#deps
    const { device, hello, remoteAddress, transport } = connection
    const { deviceName, clientName, clientVersion } = hello
    log.debug(() => `device ${device} connected: ${transport} ${remoteAddress}, ${clientName} ${clientVersion}`)
    events.emit('DeviceConnected', {
      id: device,
      addr: remoteAddress,
      deviceName,
      clientName,
      clientVersion,
      type: transport,
    })
    this.#run(statistics.seen(device, clock.nowMs()))
    const known = this.#config.devices.find(({ deviceID }) => deviceID === device)
    const rename =
      known !== undefined && (known.name === '' || this.#config.options.overwriteRemoteDeviceNamesOnConnect)
    if (rename && deviceName !== '' && deviceName !== known.name) this.#deps.nameDevice(device, deviceName)
  }

  async #disconnected(connection: Connection): Promise<void> {
    const { clock, events, log, statistics } = this.#deps
    const { device, establishedMs, closed } = connection
    const reason = messageOf(closed.reason)
    this.#server.removeDevice(device)
    this.#setLimits()
    this.#disagreements.closed(device, reason, this.#config)
    log.debug(() => `device ${device} disconnected: ${reason}`)
    events.emit('DeviceDisconnected', { id: device, error: reason })
    const nowMs = clock.nowMs()
    await statistics.disconnected(device, { atMs: nowMs, connectedMs: Math.max(0, nowMs - establishedMs) })
    for (const { id } of foldersSharedWith(this.#config, device)) this.#deps.signals.countsChanged.emit(id)
  }

  async #served(device: DeviceId, folder: string): Promise<ServedFolder | undefined> {
    const id = this.#foldersReadableBy(device).get(folder)
    if (id === undefined) return undefined
    const root = this.#deps.roots.get(id)
    if (root === undefined) return undefined
    const found = this.#encryption.cipherFor(device, folder)
    const cipher = found && (await found)
    const isEncrypted = this.#config.folders.find((each) => each.id === id)?.type === 'receiveencrypted'
    return { id, root, index: await this.#deps.store.folder(id), cipher, isEncrypted }
  }

  /** The folders that a device may read from by the configuration. Cached, as it is called for every block. */
  #foldersReadableBy(device: DeviceId): ReadonlyMap<string, FolderId> {
    if (this.#sharedFolders.config !== this.#config) this.#sharedFolders = { config: this.#config, folders: new Map() }
    const known = this.#sharedFolders.folders.get(device)
    if (known !== undefined) return known
    const isTrusted = this.#config.devices.find(({ deviceID }) => deviceID === device)?.untrusted === false
    const shared = foldersSharedWith(this.#config, device).filter(
      (folder) => !folder.paused && (isTrusted || isHiddenFrom(folder, device)),
    )
    const folders = new Map<string, FolderId>(shared.map(({ id }) => [id, id]))
    this.#sharedFolders.folders.set(device, folders)
    return folders
  }

  #setLimits(): void {
    this.#server.setTotalLimit(this.#config.options.maxConcurrentIncomingRequestKiB)
    for (const { deviceID, maxRequestKiB } of this.#config.devices) this.#server.setDeviceLimit(deviceID, maxRequestKiB)
  }

  /** Tracks background work until it has ended. */
  #run(work: Promise<unknown>): void {
    this.#tasks.add(work.catch((error: unknown) => this.#deps.log.warn(`connection to a device: ${messageOf(error)}`)))
  }
}

/** Whether a device with this record can serve the content of that version. */
function isHeld(record: FileHead, wanted: FileHead): boolean {
  return !record.deleted && !isInvalid(record) && compareVersions(record.version, wanted.version) === 'equal'
}

function notConnected(device: DeviceId): Error {
  return new Error(`device ${device} is not connected`)
}
