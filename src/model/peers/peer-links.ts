import { messageOf } from '../../core/errors.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import type { BlockRequest, ClusterConfig, Connection } from '../../protocol/types.ts'

const REPEATS_MAX = 20
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
   * through a relay does once a direct one replaces it, the request is repeated on another.
   */
  async request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    for (;;) {
      const link = await this.#leastBusy(signal)
      link.openRequests++
      link.requests++
      try {
        return await link.connection.request(request, signal)
      } catch (error) {
        const isLost = !isOpen(link)
        if (signal.aborted || !isLost || !this.#links.some(isOpen)) throw error
      } finally {
        link.openRequests--
      }
    }
  }

  /** Waits where the only connection is so new that nothing was sent on it. */
  async #leastBusy(signal: AbortSignal): Promise<Link> {
    for (;;) {
      const open = this.#links.filter(isOpen)
      const ready = open.filter(({ sentConfig }) => sentConfig !== 'none')
      const secondary = ready.filter(({ sentConfig }) => sentConfig === 'secondary')
      let best: Link | undefined
      for (const link of secondary.length > 0 ? secondary : ready) {
        if (best === undefined || isLessBusy(link, best)) best = link
      }
      if (best !== undefined) return best
      if (open.length === 0) throw new Error(`device ${this.#device} is not connected`)
      await this.#nextChange(signal)
    }
  }

  async #nextChange(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    this.#waiting.add(resolve)
    try {
      await promise
    } finally {
      this.#waiting.delete(resolve)
      signal.removeEventListener('abort', onAbort)
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

function isLessBusy(a: Link, b: Link): boolean {
  return a.openRequests === b.openRequests ? a.requests < b.requests : a.openRequests < b.openRequests
}
