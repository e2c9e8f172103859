import { Beacon, type BeaconDeps } from '../beacon/beacon.ts'
import { locallyAnnounced, receivedAddresses } from '../core/network/announced-address.ts'
import { decodeLocalAnnouncement, encodeLocalAnnouncement } from '../core/network/local-announcement.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { DiscoveryMethod, OwnAddresses } from './types.ts'

/** Three intervals of the beacon. */
const ENTRY_MS = 90_000
/** Any host of the local network can send packets: entries of unknown devices are bounded. */
const UNKNOWN_DEVICES_MAX = 256
const OLD_SOURCES_MAX = 100
/** Least time between two reports of one device that claims to have started again. */
const RESTART_GAP_MS = 1_000
/** While there is no room, entries are searched for expired ones this often. */
const FULL_CHECK_MS = 1_000

export interface LocalDeps extends Pick<BeaconDeps, 'udp' | 'networks' | 'onNetworkChange'> {
  readonly clock: Clock
  readonly log: Logger
  readonly beaconLog: Logger
  addresses(): OwnAddresses
  isKnown(device: DeviceId): boolean
  /** A device was found that was not there before, or has started again. */
  onFound(device: DeviceId, addresses: readonly string[]): void
}

export interface LocalOptions {
  readonly name: string
  readonly port: number
  /** IPv6 multicast group; without it IPv4 broadcast. */
  readonly group?: string
  readonly ownDevice: DeviceId
  readonly instanceId: bigint
}

interface Entry {
  readonly addresses: readonly string[]
  readonly instanceId: bigint
  readonly seenMs: number
  /** When it was reported last. */
  readonly foundMs: number
}

/** Devices that announce themselves in the local network. Packets are not authenticated; connections are. */
export class LocalDiscovery implements DiscoveryMethod {
  readonly name: string
  readonly #deps: LocalDeps
  readonly #options: LocalOptions
  readonly #beacon: Beacon
  readonly #entries = new Map<DeviceId, Entry>()
  /** Sources of packets of an incompatible version, each logged once. */
  readonly #oldSources = new Set<string>()
  #fullUntilMs = Number.NEGATIVE_INFINITY

  constructor(deps: LocalDeps, options: LocalOptions) {
    this.name = options.name
    this.#deps = deps
    this.#options = options
    const { clock, udp, networks, onNetworkChange } = deps
    this.#beacon = new Beacon(
      {
        clock,
        udp,
        log: deps.beaconLog,
        networks,
        onNetworkChange,
        packet: () => this.#packet(),
        onPacket: (packet, sourceHost) => this.#onPacket(packet, sourceHost),
      },
      options,
    )
  }

  get error(): string | null {
    return this.#beacon.error
  }

  async lookup(device: DeviceId): Promise<readonly string[]> {
    const entry = this.#entries.get(device)
    return entry !== undefined && this.#isCurrent(entry) ? entry.addresses : []
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    return new Map([...this.#entries].map(([device, { addresses }]) => [device, addresses]))
  }

  addressesChanged(): void {
    this.#beacon.sendSoon()
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#beacon.run(signal)
  }

  #packet(): Uint8Array | undefined {
    const { lan, wan } = this.#deps.addresses()
    const addresses = locallyAnnounced([...lan, ...wan])
    const { ownDevice: device, instanceId } = this.#options
    return addresses.length === 0 ? undefined : encodeLocalAnnouncement({ device, addresses, instanceId })
  }

  #onPacket(packet: Uint8Array, sourceHost: string): void {
    const announcement = decodeLocalAnnouncement(packet)
    if (announcement === 'old') return this.#onOldPacket(sourceHost)
    if (announcement === undefined || announcement.device === this.#options.ownDevice) return
    const { device, instanceId } = announcement
    const before = this.#entries.get(device)
    const nowMs = this.#deps.clock.monotonicMs()
    const isRestart = before?.instanceId !== instanceId && nowMs - (before?.foundMs ?? 0) >= RESTART_GAP_MS
    const isNew = before === undefined || !this.#isCurrent(before) || isRestart
    if (before === undefined && !this.#hasRoom(device)) return
    const addresses = receivedAddresses(announcement.addresses, sourceHost)
    const found = isNew ? { instanceId, foundMs: nowMs } : { instanceId: before.instanceId, foundMs: before.foundMs }
    this.#entries.set(device, { addresses, ...found, seenMs: nowMs })
    if (!isNew) return
    this.#deps.log.debug(() => `${this.name}: found ${device} at ${addresses.join(', ')}`)
    this.#beacon.sendSoon() // the other device learns our addresses without waiting for the interval
    this.#deps.onFound(device, addresses)
  }

  /** Unknown devices are limited; the expired ones make room. Configured devices always have it. */
  #hasRoom(device: DeviceId): boolean {
    if (this.#deps.isKnown(device)) return true
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs < this.#fullUntilMs) return false
    const unknown = [...this.#entries].filter(([each]) => !this.#deps.isKnown(each))
    if (unknown.length < UNKNOWN_DEVICES_MAX) return true
    const expired = unknown.filter(([, entry]) => !this.#isCurrent(entry))
    for (const [each] of expired) this.#entries.delete(each)
    if (expired.length === 0) this.#fullUntilMs = nowMs + FULL_CHECK_MS
    return expired.length > 0
  }

  #isCurrent({ seenMs }: Entry): boolean {
    return this.#deps.clock.monotonicMs() - seenMs < ENTRY_MS
  }

  #onOldPacket(sourceHost: string): void {
    if (this.#oldSources.has(sourceHost) || this.#oldSources.size >= OLD_SOURCES_MAX) return
    this.#oldSources.add(sourceHost)
    this.#deps.log.info(`${this.name}: ${sourceHost} runs a version that is too old to connect to`)
  }
}
