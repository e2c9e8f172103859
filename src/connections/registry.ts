import { isReplaced, isWelcome, ownWanted, wantedConnections, type Present } from '../core/admission.ts'
import type { Config } from '../core/config.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Connection } from '../protocol/types.ts'
import type { ConnectionFigures, DeviceFigures } from './types.ts'

/** Two devices that dial each other at once finish within this time. */
const CROSSING_MS = 5_000
/**
 * A device breaks its silence every 90 seconds at the latest. One that has been silent for longer and connects anew has
 * lost the old connection, only we have not heard of it yet: it was switched off, or moved to another network.
 */
const SILENT_MS = 100_000
/** The part of a connection id that both sides see alike. */
const TIME_PART_LENGTH = 13

export type Added =
  | { readonly kind: 'added'; readonly replaced: readonly Connection[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** The connections there are, by device, the oldest first. */
export class Registry {
  readonly #ownDevice: DeviceId
  readonly #byDevice = new Map<DeviceId, readonly Connection[]>()
  #inBytesBefore = 0
  #outBytesBefore = 0

  constructor(ownDevice: DeviceId) {
    this.#ownDevice = ownDevice
  }

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
   * Takes a connection in, unless there are enough. When two devices dial each other at once, both keep the one that
   * was begun first, which both can tell: else each might drop the one that the other keeps.
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
    if (!isWelcome(priority, { ...present, wanted }, threshold)) {
      const crossed = this.#crossed(connection, nowMs)
      if (crossed === undefined) return { kind: 'refused', reason: 'it is connected already' }
      replaced.push(crossed)
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

  /** A young connection of the same kind that was begun after this one. */
  #crossed(connection: Connection, nowMs: number): Connection | undefined {
    const young = this.of(connection.device).filter(
      (one) => one.priority === connection.priority && nowMs - one.establishedMs < CROSSING_MS,
    )
    const latest = young.toSorted((a, b) => (this.#birth(a) < this.#birth(b) ? 1 : -1))[0]
    return latest !== undefined && this.#birth(connection) < this.#birth(latest) ? latest : undefined
  }

  /** Sorts by time, and those of one time by who dialled: the same order on both sides. */
  #birth(connection: Connection): string {
    const dialler = connection.transport.endsWith('-client') ? this.#ownDevice : connection.device
    return connection.connectionId.slice(0, TIME_PART_LENGTH) + dialler
  }
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
