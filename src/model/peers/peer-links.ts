import { detach, messageOf } from '../../core/errors.ts'
import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { RequestRefused } from '../../protocol/errors.ts'
import type { BlockRequest, ClusterConfig, Connection } from '../../protocol/types.ts'

const REPEATS_MAX = 20
/** Connections that one request is refused on before the refusal counts as that of the device. */
const REFUSALS_MAX = 3
/** Connections without a key that are closed per cluster config: two devices must not reconnect forever. */
const KEYLESS_MAX = 20
const SECONDARY: ClusterConfig = { folders: [], secondary: true }

/** One connection of a device, and the cluster config that was sent on it. */
export interface Link {
  readonly connection: Connection
  sentConfig: 'none' | 'secondary' | 'full'
  /** The full cluster config received on it last, and how many were received before on any connection. */
  received: { readonly config: ClusterConfig; readonly number: number } | undefined
  openRequests: number
  /** The total: of two equally busy connections the one that carried fewer requests is used. */
  requests: number
  /** How often the cluster config may be repeated: two devices must not do so forever. */
  repeatsLeft: number
  /** What it does with requests for folders that are encrypted here; `asked` until the first reply. */
  readonly encryptedFolders: Map<string, 'asked' | 'serves' | 'refuses'>
}

/**
 * The connections of one device. The oldest one is the primary connection, which carries the index exchange; the others
 * carry requests only.
 */
export class PeerLinks {
  readonly #device: DeviceId
  readonly #log: Logger
  /** The oldest first. */
  readonly #links: Link[] = []
  /** Requests that need a connection which is ready. */
  readonly #waiting = new Set<() => void>()
  #receivedCount = 0
  #keylessLeft = KEYLESS_MAX

  constructor(device: DeviceId, log: Logger) {
    this.#device = device
    this.#log = log
  }

  get all(): readonly Link[] {
    return this.#links.slice()
  }

  get isEmpty(): boolean {
    return this.#links.length === 0
  }

  get primary(): Link | undefined {
    return this.#links.find(({ sentConfig }) => sentConfig === 'full')
  }

  /**
   * The cluster config received last on a connection that has not ended: one that was sent earlier can be received
   * later, over a connection that the device has closed already.
   */
  get lastReceived(): ClusterConfig | undefined {
    const received = this.#links.flatMap((link) => link.received ?? [])
    return received.toSorted((a, b) => a.number - b.number).at(-1)?.config
  }

  received(link: Link, config: ClusterConfig): void {
    link.received = { config, number: this.#receivedCount++ }
    this.#keylessLeft = KEYLESS_MAX
    for (const { encryptedFolders } of this.#links) encryptedFolders.clear() // the passwords may be others now
  }

  /** The connection on which the device sends its index, which may be another one than our primary. */
  get #indexLink(): Link | undefined {
    let last: Link | undefined
    for (const link of this.#links) if ((link.received?.number ?? -1) > (last?.received?.number ?? -1)) last = link
    return last ?? this.primary
  }

  get openRequests(): number {
    return this.#links.reduce((sum, link) => sum + link.openRequests, 0)
  }

  add(connection: Connection): Link {
    const link: Link = {
      connection,
      sentConfig: 'none',
      received: undefined,
      openRequests: 0,
      requests: 0,
      repeatsLeft: REPEATS_MAX,
      encryptedFolders: new Map(),
    }
    this.#links.push(link)
    return link
  }

  remove(link: Link): void {
    this.#links.splice(this.#links.indexOf(link), 1)
    this.#wakeWaiting()
  }

  async close(reason: string): Promise<void> {
    await Promise.all(this.#links.map(({ connection }) => connection.close(reason)))
  }

  /**
   * For requests of a folder that is encrypted here. A device that requests plain data has no key on this connection,
   * as a Syncthing 2 that added the folder while connected; it has the key on a new connection.
   */
  closeIfKeyless({ connection }: Link, { hash }: BlockRequest): void {
    if (hash.length > HASH_SIZE_BYTES || connection === this.#indexLink?.connection) return
    if (connection.closed.aborted || this.#keylessLeft === 0) return
    this.#keylessLeft--
    this.#log.debug(() => `device ${this.#device}: closing a connection without the key of an encrypted folder`)
    detach(connection.close('no key for an encrypted folder on this connection'))
  }

  /** Makes the link the primary one by sending the full cluster config on it. */
  sendFullConfig(link: Link, config: ClusterConfig): void {
    link.sentConfig = 'full'
    this.#sendConfig(link, config)
    this.#wakeWaiting()
  }

  sendSecondaryConfig(link: Link): void {
    link.sentConfig = 'secondary'
    this.#sendConfig(link, SECONDARY)
    this.#wakeWaiting()
  }

  /**
   * Uses the least busy connection; the primary one only when there is no other. When the connection ends, as one
   * through a relay does once a direct one replaces it, the request is repeated on another. So is one that was refused:
   * a Syncthing 2 that adds a folder with a password while connected knows the key on its index connection only. Where
   * the data is encrypted here, others get a first request while that one is busy, and more once they served it.
   */
  async request(request: BlockRequest, signal: AbortSignal, isEncrypted: boolean): Promise<Uint8Array> {
    const { folder } = request
    const refusedBy: Link[] = []
    for (;;) {
      const link = this.#choose(folder, isEncrypted, refusedBy)
      if (link === undefined) {
        await this.#nextChange(signal)
        continue
      }
      link.openRequests++
      link.requests++
      if (isEncrypted && !link.encryptedFolders.has(folder)) link.encryptedFolders.set(folder, 'asked')
      try {
        const data = await link.connection.request(request, signal)
        if (isEncrypted) for (const other of refusedBy) other.encryptedFolders.set(folder, 'refuses')
        if (isEncrypted) link.encryptedFolders.set(folder, 'serves')
        return data
      } catch (error) {
        if (!signal.aborted && this.#isRepeatable(link, error, refusedBy)) continue
        for (const { encryptedFolders } of [link, ...refusedBy])
          if (encryptedFolders.get(folder) === 'asked') encryptedFolders.delete(folder)
        throw error
      } finally {
        link.openRequests--
      }
    }
  }

  /** Whether another connection may serve what this one did not. Adds it to those that refused. */
  #isRepeatable(link: Link, error: unknown, refusedBy: Link[]): boolean {
    if (!isOpen(link)) return this.#links.some((other) => isOpen(other) && !refusedBy.includes(other))
    if (!(error instanceof RequestRefused)) return false
    refusedBy.push(link)
    return refusedBy.length < REFUSALS_MAX && this.#links.some((other) => isReady(other) && !refusedBy.includes(other))
  }

  /** Undefined where the only connection is so new that nothing was sent on it. */
  #choose(folder: string, isEncrypted: boolean, refusedBy: readonly Link[]): Link | undefined {
    const usual = isEncrypted || refusedBy.length > 0 ? undefined : this.#chooseUsual()
    if (usual !== undefined) return usual
    const open = this.#links.filter((link) => isOpen(link) && !refusedBy.includes(link))
    if (open.length === 0) throw new Error(`device ${this.#device} is not connected`)
    const ready = open.filter(isReady)
    const index = isEncrypted || refusedBy.length > 0 ? ready.find((link) => link === this.#indexLink) : undefined
    if (refusedBy.length > 0 && index !== undefined) return index
    const best = isEncrypted ? bestForEncrypted(ready, index, folder) : leastBusy(ready.filter(isSecondary))
    return best ?? leastBusy(ready)
  }

  /** The least busy connection, the primary one only when there is no other. Without arrays: called for every block. */
  #chooseUsual(): Link | undefined {
    let best: Link | undefined
    for (const link of this.#links) {
      if (!isReady(link)) continue
      const isEqual = best !== undefined && isSecondary(link) === isSecondary(best)
      if (best === undefined || (isEqual ? isLessBusy(link, best) : isSecondary(link))) best = link
    }
    return best
  }

  async #nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    try {
      await untilAborted(promise, signal)
    } finally {
      this.#waiting.delete(resolve)
    }
  }

  #wakeWaiting(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Not awaited: two devices that wait for each other to read would deadlock. Messages keep their order. */
  #sendConfig({ connection }: Link, config: ClusterConfig): void {
    connection.clusterConfig(config).catch((error: unknown) => {
      // The connection closes by itself.
      this.#log.debug(() => `device ${this.#device}: sending the cluster config failed: ${messageOf(error)}`)
    })
  }
}

function isOpen({ connection }: Link): boolean {
  return !connection.closed.aborted
}

function isReady(link: Link): boolean {
  return isOpen(link) && link.sentConfig !== 'none'
}

function isSecondary({ sentConfig }: Link): boolean {
  return sentConfig === 'secondary'
}

/** The index connection, until another one has served the folder. */
function bestForEncrypted(ready: readonly Link[], index: Link | undefined, folder: string): Link | undefined {
  const others = ready.filter((link) => {
    const state = link.encryptedFolders.get(folder)
    return link !== index && (state === undefined || state === 'serves')
  })
  const isServing = others.some(({ encryptedFolders }) => encryptedFolders.has(folder))
  if (isServing || index === undefined) return leastBusy(others)
  return index.openRequests === 0 ? index : leastBusy([index, ...others])
}

function leastBusy(links: readonly Link[]): Link | undefined {
  let best: Link | undefined
  for (const link of links) if (best === undefined || isLessBusy(link, best)) best = link
  return best
}

function isLessBusy(a: Link, b: Link): boolean {
  return a.openRequests === b.openRequests ? a.requests < b.requests : a.openRequests < b.openRequests
}
