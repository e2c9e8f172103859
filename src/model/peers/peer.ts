import { messageOf } from '../../core/errors.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import type {
  BlockReply,
  BlockRequest,
  ClusterConfig,
  Connection,
  DownloadUpdate,
  IndexData,
  ProtocolHandler,
} from '../../protocol/types.ts'
import { Mutex } from '../../sync/mutex.ts'
import { isIndexUnusable } from '../state/exchange-failure.ts'
import { configToSend, currentFingerprint, judgeReceived, lacksTokens, type AgreementDeps } from './agreement.ts'
import type { IndexPosition } from '../../core/records/index-position.ts'
import { foldersSharedWith, type ConnectionEnds, type FolderVerdict } from './cluster-config.ts'
import type { RemoteState } from './peer-deps.ts'
import { PeerFolder, type PeerFolderDeps } from './peer-folder.ts'
import { closeOnError, maskErrors, refuseIndex } from './refusal.ts'
import { DownloadMemory } from './remote-downloads.ts'
import { PeerLinks, type Link } from './peer-links.ts'
import { ServiceTime } from './service-time.ts'
import { TokenRepeats } from './token-repeats.ts'
import { TaskSet } from '../../sync/task-set.ts'

export interface PeerDeps extends PeerFolderDeps, AgreementDeps {
  serve(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<BlockReply>
  /** The device sent records of these names, or (undefined) of the folder as a whole. */
  recordsChanged(folder: FolderId, names: readonly string[] | undefined): void
}

/**
 * One connected device. Index data is sent on one of its connections, the primary one, which is the oldest; the others
 * carry requests only. The device may treat another connection as the oldest, so index data is accepted on all of them.
 */
export class Peer {
  readonly device: DeviceId
  /** Of requests to the device, for the choice between sources of a block. */
  readonly serviceTime = new ServiceTime()
  readonly #deps: PeerDeps
  readonly #ends: ConnectionEnds
  readonly #links: PeerLinks
  readonly #tokenRepeats: TokenRepeats
  readonly #folders = new Map<FolderId, PeerFolder>()
  /** The index position sent to the device, for folders whose exchange is interrupted. */
  readonly #sentSequence = new Map<FolderId, IndexPosition>()
  readonly #downloadMemory = new DownloadMemory()
  /** Serializes changes of the exchanges. */
  readonly #exchangeLock = new Mutex()
  /** Exchanges that are stopping: a message may still be in the send queue. */
  readonly #ending = new TaskSet()
  /** Set while the exchanges match the last cluster config received. It is applied only after ours was sent. */
  #applied = false
  #verdicts: ReadonlyMap<FolderId, FolderVerdict> | undefined
  /** The folders shared by both sides when a cluster config was last applied. */
  #sharedFolders: ReadonlySet<FolderId> = new Set()
  /** Of the cluster config last sent, without the index positions. */
  #sentFingerprint = ''

  constructor(deps: PeerDeps, ends: ConnectionEnds) {
    this.#deps = deps
    this.#ends = ends
    this.device = ends.peer
    this.#links = new PeerLinks(ends.peer, deps.log)
    this.#tokenRepeats = new TokenRepeats(deps.clock)
  }

  get connected(): boolean {
    return !this.#links.isEmpty
  }

  /** No connection has been chosen yet for the index exchange. */
  get needsPrimary(): boolean {
    return this.connected && this.#links.primary === undefined
  }

  /** Resolves when the connection has ended and nothing is under way on it. */
  async run(connection: Connection): Promise<void> {
    const link = this.#links.add(connection)
    try {
      await connection.run(this.#handler(link))
    } finally {
      this.#links.remove(link)
      // Before waiting for the lock: the device may reconnect meanwhile.
      if (!this.connected) this.#verdicts = undefined
      using _lock = await this.#exchangeLock.lock()
      if (link.sentConfig === 'full' || !this.connected) this.#stopExchange()
      await this.#ending.ended()
    }
  }

  close(reason: string): Promise<void> {
    return this.#links.close(reason)
  }

  /** Makes the oldest connection the primary one unless there is one, and announces the others as secondary. */
  async promote(): Promise<void> {
    using _lock = await this.#exchangeLock.lock()
    for (const link of this.#links.all) {
      if (link.sentConfig !== 'none' && !this.needsPrimary) continue
      if (this.needsPrimary) await closeOnError(this.#deps.log, link, () => this.#sendFullConfig(link))
      else this.#links.sendSecondaryConfig(link)
    }
    const primary = this.#links.primary
    if (primary !== undefined) await closeOnError(this.#deps.log, primary, () => this.#applyReceived())
  }

  /**
   * Stops the exchange of folders that are no longer shared or are being paused, so that they can be closed, and of
   * those that have another password now, before anything else is sent.
   */
  async release(): Promise<void> {
    using _lock = await this.#exchangeLock.lock()
    const active = new Set(
      foldersSharedWith(this.#deps.config(), this.device)
        .filter(({ paused }) => !paused)
        .map(({ id }) => id),
    )
    for (const [folder, { cipher }] of this.#folders) {
      const isSame = cipher === (await this.#deps.encryption.cipherFor(this.device, folder))
      if (!active.has(folder) || !isSame) this.#stopFolder(folder)
    }
  }

  /** The configuration changed: sends a new cluster config if it differs for this device, and updates the exchanges. */
  async reconfigure(): Promise<void> {
    using _lock = await this.#exchangeLock.lock()
    const primary = this.#links.primary
    if (primary === undefined) return
    await closeOnError(this.#deps.log, primary, async () => {
      const fingerprint = await currentFingerprint(this.#deps, this.#ends)
      if (this.#sentFingerprint !== fingerprint) await this.#sendFullConfig(primary)
      if (this.#applied) await this.#updateExchanges(primary, false)
    })
  }

  localIndexChanged(folder: FolderId): void {
    this.#folders.get(folder)?.localIndexChanged()
  }

  remoteState(folder: FolderId): RemoteState {
    if (this.#verdicts === undefined) return 'unknown'
    const verdict = this.#verdicts.get(folder)
    if (verdict === undefined) return 'notSharing'
    if (verdict.kind === 'refused') return 'unknown'
    return verdict.kind === 'paused-there' ? 'paused' : 'valid'
  }

  /** The running exchange of a folder. */
  exchange(folder: FolderId): PeerFolder | undefined {
    return this.#folders.get(folder)
  }

  request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    const { clock } = this.#deps
    const open = this.serviceTime.opened(request.sizeBytes, clock.monotonicMs())
    const isEncrypted = this.#exchangeOf(request.folder)?.isEncrypted ?? false
    const requested = this.#links.request(request, signal, isEncrypted)
    requested.then(
      () => this.serviceTime.served(open, clock.monotonicMs()),
      () => this.serviceTime.failed(open),
    )
    return requested
  }

  /** Announces the blocks of unfinished files that are already available here. */
  async sendDownloadProgress(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void> {
    if (this.#folders.has(folder)) await this.#links.primary?.connection.downloadProgress(folder, updates)
  }

  #handler(link: Link): ProtocolHandler {
    return {
      clusterConfig: (config) => maskErrors(this.#deps.log, this.device, () => this.#onClusterConfig(link, config)),
      acceptsIndex: (folder) => maskErrors(this.#deps.log, this.device, () => this.#acceptsIndex(folder)),
      index: (data) => maskErrors(this.#deps.log, this.device, () => this.#index(data, true)),
      indexUpdate: (data) => maskErrors(this.#deps.log, this.device, () => this.#index(data, false)),
      request: (request, signal) => {
        if (this.#exchangeOf(request.folder)?.isEncrypted === true) this.#links.closeIfKeyless(link, request)
        return this.#deps.serve(this.device, request, signal)
      },
      acceptsDownloadProgress: async (folder) => this.#exchangeOf(folder)?.acceptsDownloadProgress ?? false,
      downloadProgress: async (folder, updates) => this.#exchangeOf(folder)?.downloadProgress(updates),
    }
  }

  #exchangeOf(folder: string): PeerFolder | undefined {
    const id = parseFolderId(folder)
    return id === undefined ? undefined : this.#folders.get(id)
  }

  async #onClusterConfig(link: Link, config: ClusterConfig): Promise<void> {
    if (config.secondary) return
    using _lock = await this.#exchangeLock.lock()
    this.#deps.events.emit('ClusterConfigReceived', { device: this.device })
    if (link.connection.closed.aborted) return
    this.#links.received(link, config)
    this.#applied = false
    await this.#applyReceived()
  }

  /** Applies the last cluster config received, once ours has been sent. */
  async #applyReceived(): Promise<void> {
    const primary = this.#links.primary
    if (primary === undefined || this.#applied || this.#links.lastReceived === undefined) return
    this.#applied = true
    this.#sentSequence.clear()
    await this.#updateExchanges(primary, true)
  }

  /** Starts and stops exchanges by both configurations; `restart`: all, from the positions the device announced. */
  async #updateExchanges(primary: Link, restart: boolean): Promise<void> {
    const received = this.#links.lastReceived
    if (received === undefined) return
    const verdict = await judgeReceived(this.#deps, this.#ends, received)
    this.#verdicts = verdict.folders
    if (restart) this.#repeatTokens(primary)
    this.#deps.foldersOffered(this.device, verdict.offers)
    // Only for a new cluster config or a newly shared folder: an old one must not undo what the user changed since.
    const isNew = restart || verdict.folders.keys().some((folder) => !this.#sharedFolders.has(folder))
    this.#sharedFolders = new Set(verdict.folders.keys())
    if (isNew) this.#deps.onClusterConfig(this.device, received, restart ? verdict.offers : [])
    for (const folder of this.#folders.keys()) {
      const isWanted = verdict.folders.get(folder)?.kind === 'exchange' && this.#deps.roots.get(folder) !== undefined
      if (restart || !isWanted) this.#stopFolder(folder)
    }
    for (const [folder, decision] of verdict.folders) {
      if (decision.kind !== 'exchange' || this.#folders.has(folder)) continue
      if (this.#deps.roots.get(folder) === undefined) continue // not running yet, or just stopped
      const sentSequence = restart ? undefined : this.#sentSequence.get(folder)
      const { device } = this
      const options = { device, folder, verdict: decision, sentSequence, downloadMemory: this.#downloadMemory }
      this.#deps.recordsChanged(folder, undefined)
      await this.#useIndex(folder, async () => {
        this.#folders.set(folder, await PeerFolder.start(this.#deps, primary.connection, options))
        this.#deps.signals.pullWanted.emit(folder)
      })
    }
  }

  async #acceptsIndex(id: string): Promise<boolean> {
    using _lock = await this.#exchangeLock.lock()
    const folder = parseFolderId(id)
    if (folder !== undefined && this.#folders.has(folder)) return true
    refuseIndex(this.#deps, this.device, id)
    return false
  }

  async #index(data: IndexData, whole: boolean): Promise<void> {
    using _lock = await this.#exchangeLock.lock()
    const folder = parseFolderId(data.folder)
    const exchange = folder === undefined ? undefined : this.#folders.get(folder)
    if (folder === undefined || exchange === undefined) return refuseIndex(this.#deps, this.device, data.folder)
    await this.#useIndex(folder, async () => {
      await exchange.index(data, whole)
      this.#deps.recordsChanged(folder, whole ? undefined : data.files.map(({ name }) => name))
      this.#deps.signals.countsChanged.emit(folder)
      exchange.schedulePull()
    })
  }

  /** An index that cannot be used stops the exchange of its folder; the connection and other folders go on. */
  async #useIndex(folder: FolderId, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isIndexUnusable(error)) throw error
      this.#stopFolder(folder)
      this.#deps.signals.exchangeFailed.emit({ folder, error })
    }
  }

  #repeatTokens(link: Link): void {
    this.#tokenRepeats
      .begin(link, () => this.#repeatConfig(link))
      .catch((error: unknown) =>
        this.#deps.log.warn(`device ${this.device}: its tokens are not repeated: ${messageOf(error)}`),
      )
  }

  /** False if the device announces every folder that is encrypted for it. */
  async #repeatConfig(link: Link): Promise<boolean> {
    using _lock = await this.#exchangeLock.lock()
    const announced = this.#links.primary === link ? this.#verdicts : undefined
    if (announced === undefined || !(await lacksTokens(this.#deps, this.#ends, announced))) return false
    await closeOnError(this.#deps.log, link, () => this.#sendFullConfig(link))
    return true
  }

  async #sendFullConfig(link: Link): Promise<void> {
    const { config, fingerprint } = await configToSend(this.#deps, this.#ends)
    this.#sentFingerprint = fingerprint
    this.#links.sendFullConfig(link, config)
  }

  /**
   * The primary connection closed, and the last messages on it may be lost: the next one resends everything after the
   * position the device announced last. Until then index data is received but not sent.
   */
  #stopExchange(): void {
    this.#applied = false
    this.#sentSequence.clear()
    if (this.connected) for (const exchange of this.#folders.values()) this.#end(exchange)
    else for (const folder of this.#folders.keys()) this.#stopFolder(folder)
  }

  #stopFolder(folder: FolderId): void {
    const exchange = this.#folders.get(folder)
    if (exchange === undefined) return
    this.#folders.delete(folder)
    this.#sentSequence.set(folder, exchange.position)
    this.#end(exchange)
  }

  #end(exchange: PeerFolder): void {
    this.#ending.add(exchange.stop())
  }
}
