import { messageOf } from '../../core/errors.ts'
import type { Config } from '../../core/config/config.ts'
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
import {
  clusterConfigFor,
  foldersSharedWith,
  judgeClusterConfig,
  type Ends,
  type FolderVerdict,
  type IndexPosition,
} from './cluster-config.ts'
import type { PeersDeps, RemoteState } from './peer-deps.ts'
import { PeerFolder } from './peer-folder.ts'
import { positionsToTell, clusterConfigFingerprint } from './cluster-config-fingerprint.ts'

const SECONDARY: ClusterConfig = { folders: [], secondary: true }

/** One connection of a device, and what was said on it first. */
interface Link {
  readonly connection: Connection
  said: 'nothing' | 'secondary' | 'full'
  openRequests: number
  /** All there ever were: of two that are equally busy the one used less has its turn. */
  requests: number
}

/** What a device did that we do not put up with: it is told, and the connection ends. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

export interface PeerDeps extends PeersDeps {
  config(): Config
  serve(device: DeviceId, request: BlockRequest, signal: AbortSignal): Promise<BlockReply>
  /** The device told something about these names, or (undefined) about the folder as a whole. */
  recordsChanged(folder: FolderId, names: readonly string[] | undefined): void
}

/**
 * One device that is connected. We talk about folders on one of its connections, the primary one, which is the oldest;
 * the others carry requests only. The device may take another one for the oldest: what it says about folders is heard
 * wherever it comes.
 */
export class Peer {
  readonly device: DeviceId
  readonly #deps: PeerDeps
  readonly #ends: Ends
  /** The oldest first. */
  readonly #links: Link[] = []
  readonly #folders = new Map<FolderId, PeerFolder>()
  /** How far the device was told, of folders that are interrupted at the moment. */
  readonly #sentSequence = new Map<FolderId, IndexPosition>()
  /** One change of what is exchanged at a time. */
  readonly #turn = new Mutex()
  /** What was interrupted and has not quite ended: a message may still be on its way out. */
  readonly #ending = new Set<Promise<void>>()
  /** Its last word, and where it came; not acted on before we have spoken too. */
  #heard: { readonly config: ClusterConfig; readonly link: Link } | undefined
  /** Set while exchanges are as its last word asks for. */
  #acted = false
  #verdicts: ReadonlyMap<FolderId, FolderVerdict> | undefined
  /** The folders that both shared when the device's word was last followed. */
  #sharedFolders: ReadonlySet<FolderId> = new Set()
  /** What we last said, apart from how far each index reaches. */
  #saidShape = ''

  constructor(deps: PeerDeps, ends: Ends) {
    this.#deps = deps
    this.#ends = ends
    this.device = ends.peer
  }

  get connected(): boolean {
    return this.#links.length > 0
  }

  /** Nobody has been chosen yet to talk about folders. */
  get wantsPrimary(): boolean {
    return this.connected && this.#primary === undefined
  }

  get #primary(): Link | undefined {
    return this.#links.find(({ said }) => said === 'full')
  }

  get openRequests(): number {
    return this.#links.reduce((sum, link) => sum + link.openRequests, 0)
  }

  /** Resolves when the connection has ended and nothing is under way on it. */
  async run(connection: Connection): Promise<void> {
    const link: Link = { connection, said: 'nothing', openRequests: 0, requests: 0 }
    this.#links.push(link)
    try {
      await connection.run(this.#handler(link))
    } finally {
      this.#links.splice(this.#links.indexOf(link), 1)
      // At once: the device may be back before we have had our turn.
      if (this.#heard?.link === link) this.#heard = undefined
      if (!this.connected) this.#verdicts = undefined
      using _turn = await this.#turn.lock()
      if (link.said === 'full' || !this.connected) this.#stopExchange()
      await Promise.all(this.#ending)
    }
  }

  async close(reason: string): Promise<void> {
    await Promise.all(this.#links.map(({ connection }) => connection.close(reason)))
  }

  /** Talks about folders on the oldest connection, unless it is done elsewhere, and says on the others that it is not. */
  async promote(): Promise<void> {
    using _turn = await this.#turn.lock()
    for (const link of this.#links.slice()) {
      if (link.said !== 'nothing' && !this.wantsPrimary) continue
      await this.#orClose(link, () => (this.wantsPrimary ? this.#sendFullIndex(link) : this.#saySecondary(link)))
    }
    const primary = this.#primary
    if (primary !== undefined) await this.#orClose(primary, () => this.#answer())
  }

  /** Lets go of folders that we share no longer, or that are to rest: whoever has them may close them now. */
  async release(): Promise<void> {
    using _turn = await this.#turn.lock()
    const active = new Set(
      foldersSharedWith(this.#deps.config(), this.device)
        .filter(({ paused }) => !paused)
        .map(({ id }) => id),
    )
    for (const folder of this.#folders.keys()) if (!active.has(folder)) this.#stopFolder(folder)
  }

  /** The configuration changed: says so to the device if that concerns it, and follows. */
  async reconfigure(): Promise<void> {
    using _turn = await this.#turn.lock()
    const primary = this.#primary
    if (primary === undefined) return
    await this.#orClose(primary, async () => {
      if (this.#saidShape !== clusterConfigFingerprint(this.#deps, this.#ends)) await this.#sendFullIndex(primary)
      if (this.#acted) await this.#follow(primary, false)
    })
  }

  localIndexChanged(folder: FolderId): void {
    this.#folders.get(folder)?.localIndexChanged()
  }

  remoteState(folder: FolderId): RemoteState {
    if (this.#verdicts === undefined) return 'unknown'
    const verdict = this.#verdicts.get(folder)
    if (verdict === undefined) return 'notSharing'
    return verdict.kind === 'paused-there' ? 'paused' : 'valid'
  }

  /** The exchange of a folder that is going on. */
  exchange(folder: FolderId): PeerFolder | undefined {
    return this.#folders.get(folder)
  }

  /** Over the connection that is freest; the primary one only when there is no other. */
  async request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    const ready = this.#links.filter(({ said }) => said !== 'nothing')
    const secondary = ready.filter(({ said }) => said === 'secondary')
    let best: Link | undefined
    for (const link of secondary.length > 0 ? secondary : ready) {
      if (best === undefined || isFreer(link, best)) best = link
    }
    if (best === undefined) throw new Error(`device ${this.device} is not connected`)
    best.openRequests++
    best.requests++
    try {
      return await best.connection.request(request, signal)
    } finally {
      best.openRequests--
    }
  }

  /** Tells the device which blocks of files we have not finished can be had here already. */
  async tellProgress(folder: FolderId, updates: readonly DownloadUpdate[]): Promise<void> {
    if (this.#folders.has(folder)) await this.#primary?.connection.downloadProgress(folder, updates)
  }

  #handler(link: Link): ProtocolHandler {
    return {
      clusterConfig: (config) => this.#private(() => this.#onClusterConfig(link, config)),
      index: (data) => this.#private(() => this.#index(data, true)),
      indexUpdate: (data) => this.#private(() => this.#index(data, false)),
      request: (request, signal) => this.#deps.serve(this.device, request, signal),
      downloadProgress: async (folder, updates) => {
        const id = parseFolderId(folder)
        if (id !== undefined) this.#folders.get(id)?.downloadProgress(updates)
      },
    }
  }

  async #onClusterConfig(link: Link, config: ClusterConfig): Promise<void> {
    if (config.secondary) return
    using _turn = await this.#turn.lock()
    this.#deps.events.emit('ClusterConfigReceived', { device: this.device })
    if (link.connection.closed.aborted) return
    this.#heard = { config, link }
    this.#acted = false
    await this.#answer()
  }

  /** Once both have spoken: acts on what the device said, wherever it said it. */
  async #answer(): Promise<void> {
    const primary = this.#primary
    if (primary === undefined || this.#acted || this.#heard === undefined) return
    this.#acted = true
    this.#sentSequence.clear()
    await this.#follow(primary, true)
  }

  /** Makes the exchanges be what a device's word and our configuration ask for; `anew`: where the device says it stands. */
  async #follow(primary: Link, anew: boolean): Promise<void> {
    if (this.#heard === undefined) return
    const verdict = judgeClusterConfig(this.#deps.config(), this.#ends, this.#heard.config)
    if (verdict.kind === 'close') throw new Refusal(verdict.reason)
    this.#verdicts = verdict.folders
    this.#deps.foldersOffered(this.device, verdict.offers)
    // When it is said, or says something of a folder that is new here: what people change is not undone by an old word.
    const isNews = anew || verdict.folders.keys().some((folder) => !this.#sharedFolders.has(folder))
    this.#sharedFolders = new Set(verdict.folders.keys())
    if (isNews) this.#deps.onClusterConfig(this.device, this.#heard.config, anew ? verdict.offers : [])
    for (const folder of this.#folders.keys()) {
      if (anew || verdict.folders.get(folder)?.kind !== 'exchange') this.#stopFolder(folder)
    }
    for (const [folder, decision] of verdict.folders) {
      if (decision.kind !== 'exchange' || this.#folders.has(folder)) continue
      if (this.#deps.folders.rootOf(folder) === undefined) continue // not running yet, or just stopped
      const sentSequence = anew ? undefined : this.#sentSequence.get(folder)
      const options = { device: this.device, folder, verdict: decision, sentSequence }
      this.#deps.recordsChanged(folder, undefined)
      this.#folders.set(folder, await PeerFolder.start(this.#deps, primary.connection, options))
      this.#deps.folders.pullSoon(folder)
    }
  }

  async #index(data: IndexData, whole: boolean): Promise<void> {
    using _turn = await this.#turn.lock()
    const folder = parseFolderId(data.folder)
    const exchange = folder === undefined ? undefined : this.#folders.get(folder)
    if (folder === undefined || exchange === undefined) return this.#refuseIndex(data.folder)
    await exchange.index(data, whole)
    this.#deps.recordsChanged(folder, whole ? undefined : data.files.map(({ name }) => name))
    this.#deps.folders.touched(folder)
    exchange.schedulePull()
  }

  /** What comes for a folder that rests is not heard: when it goes on, both say again how far they are. */
  #refuseIndex(folder: string): void {
    const shared = foldersSharedWith(this.#deps.config(), this.device).find(({ id }) => id === folder)
    if (shared?.paused === true) return
    const reason = shared === undefined ? 'no such folder' : 'folder is not running'
    throw new Refusal(`${folder}: ${reason}`)
  }

  async #sendFullIndex(link: Link): Promise<void> {
    const config = this.#deps.config()
    const positions = await positionsToTell(this.#deps, this.#ends)
    this.#saidShape = clusterConfigFingerprint(this.#deps, this.#ends)
    link.said = 'full'
    this.#say(link, clusterConfigFor(config, this.#ends, positions))
  }

  async #saySecondary(link: Link): Promise<void> {
    link.said = 'secondary'
    this.#say(link, SECONDARY)
  }

  /** Not waited for: two devices that wait for each other to listen would wait for ever. Messages keep their order. */
  #say({ connection }: Link, config: ClusterConfig): void {
    connection.clusterConfig(config).catch((error: unknown) => {
      this.#deps.log.debug(() => `device ${this.device}: could not speak: ${messageOf(error)}`) // the connection ends by itself
    })
  }

  /** What goes wrong in here is nobody else's business. */
  async #private(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof Refusal) throw error
      this.#deps.log.warn(`device ${this.device}: ${messageOf(error)}`)
      throw new Error('internal error', { cause: error })
    }
  }

  async #orClose({ connection }: Link, work: () => Promise<void>): Promise<void> {
    try {
      await this.#private(work)
    } catch (error) {
      void connection.close(`handling cluster-config: ${messageOf(error)}`)
    }
  }

  /**
   * The primary connection is gone, and with it perhaps what was told last: on the next one everything since the
   * device's last word is told again. Until then the device is heard, but not told anything.
   */
  #stopExchange(): void {
    this.#acted = false
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
    const ended = exchange.stop()
    this.#ending.add(ended)
    void ended.then(() => this.#ending.delete(ended))
  }
}

function isFreer(a: Link, b: Link): boolean {
  return a.openRequests === b.openRequests ? a.requests < b.requests : a.openRequests < b.openRequests
}
