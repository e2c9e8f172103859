import {
  announcedConnections,
  isReplaced,
  isConnectionWanted,
  ownWanted,
  wantedConnections,
  type ExistingConnections,
} from '../core/network/admission.ts'
import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import { hostOf } from '../core/network/ip.ts'
import type { Connection } from '../protocol/types.ts'
import type { ConnectionFigures, DeviceFigures } from './types.ts'

/** Maximum duration of a handshake: two devices that dial each other at once finish within this time. */
const CROSSING_MS = 30_000
/**
 * A device sends a ping at least every 90 seconds. One that has been idle for longer and connects again has lost the
 * old connection without a close reaching us: it was switched off, or moved to another network.
 */
const IDLE_MS = 100_000

/** A dial takes less than this: a connection of this age does not cross one that arrives now. */
const DIALLED_MS_MAX = 10_000
export type AddResult =
  | { readonly kind: 'added'; readonly replaced: readonly Connection[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** A connection that the other device has dialled. */
interface Incoming {
  readonly host: string
  readonly nowMs: number
}

/** Established connections by device, oldest first. */
export class Registry {
  readonly #byDevice = new Map<DeviceId, readonly Connection[]>()
  #inBytesBefore = 0
  #outBytesBefore = 0

  of(device: DeviceId): readonly Connection[] {
    return this.#byDevice.get(device) ?? []
  }

  all(): readonly Connection[] {
    return [...this.#byDevice.values()].flat()
  }

  /**
   * Input of the admission rules. A device counts as wanting one connection until its Hello announces a number. Idle
   * connections do not block new ones, and those that an incoming connection proves to be abandoned do not block it.
   */
  present(device: DeviceId, config: Config, incoming?: Incoming): ExistingConnections {
    const connections = this.of(device)
    const isBlocking = (one: Connection): boolean =>
      !isIdle(one) && !(incoming !== undefined && isAbandoned(one, incoming))
    return {
      priorities: connections.filter(isBlocking).map(({ priority }) => priority),
      ...wantedOf(device, connections, config),
      totalCount: this.all().length,
    }
  }

  /**
   * Adds a connection unless the limit is reached. When two devices dial each other at once, both connections stay, one
   * more than wanted (decision 013): Syncthing would send no ClusterConfig on the remaining one.
   */
  add(connection: Connection, config: Config, nowMs: number): AddResult {
    const { device, priority } = connection
    const threshold = config.options.connectionPriorityUpgradeThreshold
    const present = this.present(device, config)
    const { wanted } = wantedOf(device, [...this.of(device), connection], config)
    const replaced = this.of(device).filter(
      (existing) => isIdle(existing) || isReplaced(existing.priority, priority, threshold),
    )
    const isSpare = this.of(device).length === wanted && this.#isCrossing(connection, nowMs)
    const isOneTooMany = !isSpare && !isConnectionWanted(priority, { ...present, wanted }, threshold)
    const abandoned = isOneTooMany && !isDialled(connection) ? this.#abandonedFor(connection, nowMs) : []
    if (isOneTooMany && abandoned.length === 0) return { kind: 'refused', reason: 'already connected' }
    this.#byDevice.set(device, [...this.of(device), connection])
    return { kind: 'added', replaced: [...new Set([...replaced, ...abandoned])] }
  }

  /** False when it was not registered. */
  remove(connection: Connection): boolean {
    const before = this.of(connection.device)
    const after = before.filter((one) => one !== connection)
    if (after.length === before.length) return false
    if (after.length === 0) this.#byDevice.delete(connection.device)
    else this.#byDevice.set(connection.device, after)
    this.#inBytesBefore += connection.inBytesTotal
    this.#outBytesBefore += connection.outBytesTotal
    return true
  }

  figures(): ReadonlyMap<DeviceId, DeviceFigures> {
    const figures = new Map<DeviceId, DeviceFigures>()
    for (const [device, [primary, ...secondary]] of this.#byDevice) {
      if (primary === undefined) continue
      const { clientVersion, timestampNs } = primary.hello
      const clock = timestampNs > 0n ? { clockAheadMs: Number(timestampNs / 1_000_000n) - primary.establishedMs } : {}
      figures.set(device, { clientVersion, ...clock, primary: figuresOf(primary), secondary: secondary.map(figuresOf) })
    }
    return figures
  }

  totals(): { readonly inBytesTotal: number; readonly outBytesTotal: number } {
    const connections = this.all()
    return {
      inBytesTotal: connections.reduce((sum, one) => sum + one.inBytesTotal, this.#inBytesBefore),
      outBytesTotal: connections.reduce((sum, one) => sum + one.outBytesTotal, this.#outBytesBefore),
    }
  }

  #abandonedFor({ device, remoteAddress }: Connection, nowMs: number): readonly Connection[] {
    const incoming = { host: hostOf(remoteAddress), nowMs }
    return this.of(device).filter((one) => isAbandoned(one, incoming))
  }

  /** Whether both sides dialled at the same time. */
  #isCrossing(connection: Connection, nowMs: number): boolean {
    return this.of(connection.device).some((one) => {
      const isYoung = nowMs - one.establishedMs < CROSSING_MS
      return isYoung && one.priority === connection.priority && isDialled(one) !== isDialled(connection)
    })
  }
}

/** By the latest number that the device has announced. */
function wantedOf(
  device: DeviceId,
  connections: readonly Connection[],
  config: Config,
): Pick<ExistingConnections, 'wanted' | 'wantedMax'> {
  const own = ownWanted(config.devices.find((one) => one.deviceID === device)?.numConnections ?? 0)
  const announced = connections.map(({ hello }) => announcedConnections(hello)).findLast((one) => one !== undefined)
  const wanted = wantedConnections(own, announced)
  return { wanted, wantedMax: announced === undefined ? own : wanted }
}

function isDialled({ transport }: Connection): boolean {
  return transport.endsWith('-client')
}

function isIdle({ idleMs }: Connection): boolean {
  return idleMs > IDLE_MS
}

/**
 * A device dials only while it has fewer connections than wanted. If it does so from another host, its connections from
 * elsewhere are gone, though no close has reached us: its address has changed. One that may have been made by a dial at
 * the same time stays.
 */
function isAbandoned({ remoteAddress, establishedMs }: Connection, { host, nowMs }: Incoming): boolean {
  return hostOf(remoteAddress) !== host && nowMs - establishedMs > DIALLED_MS_MAX
}

function figuresOf(connection: Connection): ConnectionFigures {
  return {
    startedMs: connection.establishedMs,
    inBytesTotal: connection.inBytesTotal,
    outBytesTotal: connection.outBytesTotal,
    messages: { ...connection.messages },
    address: connection.remoteAddress,
    type: connection.transport,
    isLocal: connection.isLocal,
    crypto: connection.crypto,
  }
}
