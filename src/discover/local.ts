import { Beacon, type BeaconDeps } from '../beacon/beacon.ts'
import { parseAddress } from '../core/network/address.ts'
import { locallyAnnounced, receivedAddresses } from '../core/network/announced-address.ts'
import { decodeLocalAnnouncement, encodeLocalAnnouncement } from '../core/network/local-announcement.ts'
import { takeTurns } from '../core/network/take-turns.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { DiscoveryMethod, OwnAddresses } from './types.ts'

/** Three intervals of the beacon. */
const ENTRY_MS = 90_000
/** Any host of the local network can send packets: entries of unknown devices are bounded. */
const UNKNOWN_DEVICES_MAX = 256
/**
 * Hosts that announce one configured device: itself, in more than one network, and whoever forges its announcements.
 * The one heard longest ago makes room. Of a device that is not configured only the latest is kept.
 */
const SOURCES_MAX = 8
/** Of one announcement. */
const ADDRESSES_MAX = 64
const ADDRESSES_LENGTH_MAX = 8_192
const OLD_SOURCES_MAX = 100
/** Least time between two reports of one device, because any host of the network can send its announcements. */
const REPORT_GAP_MS = 1_000
/** Least time between two answers to a device that is not connected, so that two devices do not go on answering. */
const ANSWER_GAP_MS = 10_000
/** While there is no room, entries are searched for expired ones this often. */
const FULL_CHECK_MS = 1_000

export interface LocalDeps extends Pick<BeaconDeps, 'udp' | 'networks' | 'onNetworkChange'> {
  readonly clock: Clock
  readonly log: Logger
  readonly beaconLog: Logger
  addresses(): OwnAddresses
  isKnown(device: DeviceId): boolean
  isConnected(device: DeviceId): boolean
  /** A device was found that was not there before, or has started again. */
  onFound(device: DeviceId, addresses: readonly string[]): void
  /** A configured device was found, announces other addresses than before, or is there and not connected. */
  onAnnounced(device: DeviceId): void
}

export interface LocalOptions {
  readonly name: string
  readonly port: number
  /** IPv6 multicast group; without it IPv4 broadcast. */
  readonly group?: string
  readonly ownDevice: DeviceId
  readonly instanceId: bigint
}

interface Source {
  readonly addresses: readonly string[]
  readonly seenMs: number
}

interface Entry {
  /** By the host that sent the announcement, the one heard last at the end. */
  readonly sources: Map<string, Source>
  instanceId: bigint
  /** When it was reported last, which is also an answer. */
  reportedMs: number
}

/** What is to be reported of a device. */
interface Report {
  /** When it may be reported again. */
  dueMs: number
  isNew: boolean
  isPending: boolean
}

/** Devices that announce themselves in the local network. Packets are not authenticated; connections are. */
export class LocalDiscovery implements DiscoveryMethod {
  readonly name: string
  readonly #deps: LocalDeps
  readonly #options: LocalOptions
  readonly #beacon: Beacon
  readonly #entries = new Map<DeviceId, Entry>()
  readonly #reports = new Map<DeviceId, Report>()
  readonly #reported = new Wakeup()
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

  /** The hosts that announced it take turns, so that a forged announcement does not displace the right one. */
  lookup(device: DeviceId): readonly string[] {
    const sources = [...(this.#entries.get(device)?.sources.values() ?? [])].filter((one) => this.#isCurrent(one))
    return takeTurns(
      sources.toReversed().map(({ addresses }) => addresses),
      ADDRESSES_MAX,
    )
  }

  found(): ReadonlyMap<DeviceId, readonly string[]> {
    return new Map([...this.#entries.keys()].map((device) => [device, this.#allAddresses(device)]))
  }

  addressesChanged(): void {
    this.#beacon.sendSoon()
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#beacon.run(signal), this.#report(signal)])
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
    if (before === undefined && !this.#hasRoom(device)) return
    const addresses = usableFirst(receivedAddresses(announcement.addresses, sourceHost))
    const isGone = before !== undefined && ![...before.sources.values()].some((one) => this.#isCurrent(one))
    const isNew = before === undefined || isGone || before.instanceId !== instanceId
    const nowMs = this.#deps.clock.monotonicMs()
    const entry = before ?? { sources: new Map<string, Source>(), instanceId, reportedMs: nowMs }
    const isChanged = !isSame(entry.sources.get(sourceHost)?.addresses, addresses)
    entry.instanceId = instanceId
    entry.sources.delete(sourceHost)
    entry.sources.set(sourceHost, { addresses, seenMs: nowMs })
    const [oldest = sourceHost] = entry.sources.keys()
    if (entry.sources.size > (this.#deps.isKnown(device) ? SOURCES_MAX : 1)) entry.sources.delete(oldest)
    this.#entries.set(device, entry)
    if (isNew || (this.#deps.isKnown(device) && (isChanged || this.#isUnanswered(device, entry)))) {
      this.#toReport(device, isNew)
    }
  }

  /** Its announcement may be the first that arrives after a loss, and it may not have received ours. */
  #isUnanswered(device: DeviceId, { reportedMs }: Entry): boolean {
    return this.#deps.clock.monotonicMs() - reportedMs >= ANSWER_GAP_MS && !this.#deps.isConnected(device)
  }

  #toReport(device: DeviceId, isNew: boolean): void {
    const report = this.#reports.get(device) ?? { dueMs: Number.NEGATIVE_INFINITY, isNew: false, isPending: false }
    const isFirst = !report.isPending
    report.isPending = true
    report.isNew ||= isNew
    this.#reports.set(device, report)
    if (isFirst) this.#reported.ring()
  }

  /** Reports at once, and again a second later at the earliest. */
  async #report(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    let waitMs: number | undefined
    while (!signal.aborted) {
      const waiting =
        waitMs === undefined ? this.#reported.wait(signal) : this.#reported.waitAtMost(clock, waitMs, signal)
      await waiting.catch(() => {}) // an abort ends the loop
      if (signal.aborted) return
      const nowMs = clock.monotonicMs()
      waitMs = undefined
      for (const [device, report] of this.#reports) {
        if (report.dueMs > nowMs) waitMs = Math.min(waitMs ?? REPORT_GAP_MS, report.dueMs - nowMs)
        else if (report.isPending) {
          this.#reportOne(device, report.isNew)
          this.#reports.set(device, { dueMs: nowMs + REPORT_GAP_MS, isNew: false, isPending: false })
          waitMs ??= REPORT_GAP_MS
        } else this.#reports.delete(device)
      }
    }
  }

  #reportOne(device: DeviceId, isNew: boolean): void {
    const { log, onFound, onAnnounced, isKnown } = this.#deps
    const entry = this.#entries.get(device)
    if (entry !== undefined) entry.reportedMs = this.#deps.clock.monotonicMs()
    const addresses = this.#allAddresses(device)
    log.debug(() => `${this.name}: found ${device} at ${addresses.join(', ')}`)
    this.#beacon.sendSoon() // the other device learns our addresses without waiting for the interval
    if (isNew) onFound(device, addresses)
    if (isKnown(device)) onAnnounced(device)
  }

  #allAddresses(device: DeviceId): readonly string[] {
    const sources = [...(this.#entries.get(device)?.sources.values() ?? [])].toReversed()
    return takeTurns(
      sources.map(({ addresses }) => addresses),
      ADDRESSES_MAX,
    )
  }

  /** Unknown devices are limited; the expired ones make room. Configured devices always have it. */
  #hasRoom(device: DeviceId): boolean {
    if (this.#deps.isKnown(device)) return true
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs < this.#fullUntilMs) return false
    const unknown = [...this.#entries].filter(([each]) => !this.#deps.isKnown(each))
    if (unknown.length < UNKNOWN_DEVICES_MAX) return true
    const expired = unknown.filter(([, { sources }]) => ![...sources.values()].some((one) => this.#isCurrent(one)))
    for (const [each] of expired) this.#entries.delete(each)
    if (expired.length === 0) this.#fullUntilMs = nowMs + FULL_CHECK_MS
    return expired.length > 0
  }

  #isCurrent({ seenMs }: Source): boolean {
    return this.#deps.clock.monotonicMs() - seenMs < ENTRY_MS
  }

  #onOldPacket(sourceHost: string): void {
    if (this.#oldSources.has(sourceHost) || this.#oldSources.size >= OLD_SOURCES_MAX) return
    this.#oldSources.add(sourceHost)
    this.#deps.log.info(`${this.name}: ${sourceHost} runs a version that is too old to connect to`)
  }
}

/** Those that can be dialled before the others, so that these are the first to be cut off; bounded. */
function usableFirst(addresses: readonly string[]): readonly string[] {
  const isUsable = (text: string): boolean => ['tcp', 'relay'].includes(parseAddress(text).kind)
  const ordered = [...addresses.filter(isUsable), ...addresses.filter((text) => !isUsable(text))]
  let length = 0
  return ordered.slice(0, ADDRESSES_MAX).filter((text) => (length += text.length) <= ADDRESSES_LENGTH_MAX)
}

function isSame(before: readonly string[] | undefined, after: readonly string[]): boolean {
  return before !== undefined && before.length === after.length && before.every((text, at) => text === after[at])
}
