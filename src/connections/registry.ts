import { isReplaced, isWelcome, ownWanted, wantedConnections, type Present } from '../core/network/admission.ts'
import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Connection } from '../protocol/types.ts'
import type { ConnectionFigures, DeviceFigures } from './types.ts'

/** Two devices that dial each other at once finish within this time: so long a handshake may take. */
const CROSSING_MS = 30_000
/**
 * A device breaks its silence every 90 seconds at the latest. One that has been silent for longer and connects anew has
 * lost the old connection, only we have not heard of it yet: it was switched off, or moved to another network.
 */
const SILENT_MS = 100_000

export type Added =
  | { readonly kind: 'added'; readonly replaced: readonly Connection[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** The connections there are, by device, the oldest first. */
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
   * What the rules of admission need to know. Until a device has said how many connections it wants, it is one. Those
   * that have fallen silent keep nobody out.
   */
  present(device: DeviceId, config: Config): Present {
    const connections = this.of(device)
    const own = config.devices.find((one) => one.deviceID === device)?.numConnections ?? 0
    return {
      priorities: connections.filter((one) => !isSilent(one)).map(({ priority }) => priority),
      wanted: wantedConnections(ownWanted(own), connections.at(-1)?.hello.numConnections),
      totalCount: this.all().length,
    }
  }

  /**
   * Takes a connection in, unless there are enough. When two devices dial each other at once, both connections stay,
   * one more than wanted (decision 013): a Syncthing would not talk about folders on the one that is left.
   */
  add(connection: Connection, config: Config, nowMs: number): Added {
    const { device, priority } = connection
    const threshold = config.options.connectionPriorityUpgradeThreshold
    const present = this.present(device, config)
    const own = config.devices.find((one) => one.deviceID === device)?.numConnections ?? 0
    const wanted = wantedConnections(ownWanted(own), connection.hello.numConnections)
    const replaced = this.of(device).filter(
      (existing) => isSilent(existing) || isReplaced(existing.priority, priority, threshold),
    )
    const isSpare = this.of(device).length === wanted && this.#isCrossing(connection, nowMs)
    if (!isSpare && !isWelcome(priority, { ...present, wanted }, threshold)) {
      return { kind: 'refused', reason: 'it is connected already' }
    }
    this.#byDevice.set(device, [...this.of(device), connection])
    return { kind: 'added', replaced }
  }

  /** False when it was gone already. */
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

  /** While it was made, the other side made one as well. */
  #isCrossing(connection: Connection, nowMs: number): boolean {
    return this.of(connection.device).some((one) => {
      const isYoung = nowMs - one.establishedMs < CROSSING_MS
      return isYoung && one.priority === connection.priority && isDialled(one) !== isDialled(connection)
    })
  }
}

function isDialled({ transport }: Connection): boolean {
  return transport.endsWith('-client')
}

function isSilent({ silentMs }: Connection): boolean {
  return silentMs > SILENT_MS
}

function figuresOf(connection: Connection): ConnectionFigures {
  return {
    startedMs: connection.establishedMs,
    inBytesTotal: connection.inBytesTotal,
    outBytesTotal: connection.outBytesTotal,
    address: connection.remoteAddress,
    type: connection.transport,
    isLocal: connection.isLocal,
    crypto: connection.crypto,
  }
}
