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
import type { Connection } from '../protocol/types.ts'
import type { ConnectionFigures, DeviceFigures } from './types.ts'

/** Maximum duration of a handshake: two devices that dial each other at once finish within this time. */
const CROSSING_MS = 30_000
/**
 * A device sends a ping at least every 90 seconds. One that has been idle for longer and connects again has lost the
 * old connection without a close reaching us: it was switched off, or moved to another network.
 */
const IDLE_MS = 100_000

export type Added =
  | { readonly kind: 'added'; readonly replaced: readonly Connection[] }
  | { readonly kind: 'refused'; readonly reason: string }

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
   * connections do not block new ones.
   */
  present(device: DeviceId, config: Config): ExistingConnections {
    const connections = this.of(device)
    return {
      priorities: connections.filter((one) => !isIdle(one)).map(({ priority }) => priority),
      ...wantedOf(device, connections, config),
      totalCount: this.all().length,
    }
  }

  /**
   * Adds a connection unless the limit is reached. When two devices dial each other at once, both connections stay, one
   * more than wanted (decision 013): Syncthing would send no ClusterConfig on the remaining one.
   */
  add(connection: Connection, config: Config, nowMs: number): Added {
    const { device, priority } = connection
    const threshold = config.options.connectionPriorityUpgradeThreshold
    const present = this.present(device, config)
    const { wanted } = wantedOf(device, [...this.of(device), connection], config)
    const replaced = this.of(device).filter(
      (existing) => isIdle(existing) || isReplaced(existing.priority, priority, threshold),
    )
    const isSpare = this.of(device).length === wanted && this.#isCrossing(connection, nowMs)
    if (!isSpare && !isConnectionWanted(priority, { ...present, wanted }, threshold)) {
      return { kind: 'refused', reason: 'already connected' }
    }
    this.#byDevice.set(device, [...this.of(device), connection])
    return { kind: 'added', replaced }
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
      const { clientVersion } = primary.hello
      figures.set(device, { clientVersion, primary: figuresOf(primary), secondary: secondary.map(figuresOf) })
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
