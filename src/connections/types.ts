import type { DeviceId } from '../core/ids.ts'

export interface ListenerStatus {
  readonly error: string | null
  readonly lanAddresses: readonly string[]
  readonly wanAddresses: readonly string[]
}

export interface DialStatus {
  readonly whenMs: number
  readonly error: string | null
}

export interface ConnectionFigures {
  readonly startedMs: number
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  readonly address: string
  /** `tcp-client` when we dialled, `tcp-server` when they did. */
  readonly type: string
  readonly isLocal: boolean
  readonly crypto: string
}

/** All connections to one device; the primary is the oldest. */
export interface DeviceFigures {
  readonly clientVersion: string
  readonly primary: ConnectionFigures
  readonly secondary: readonly ConnectionFigures[]
}

/** What people can see of the connections. */
export interface ConnectionsStatus {
  /** By listen address. */
  readonly listeners: ReadonlyMap<string, ListenerStatus>
  /** By address, the latest attempt. */
  readonly lastDials: ReadonlyMap<string, DialStatus>
  /** Only devices that are connected. */
  readonly devices: ReadonlyMap<DeviceId, DeviceFigures>
  /** Since the start, over all connections there were. */
  readonly inBytesTotal: number
  readonly outBytesTotal: number
}

/** The service as others see it. */
export interface ConnectionsView {
  status(): ConnectionsStatus
}

/** Somebody unknown who wants in, as it introduced itself. The name is whatever it said. */
export interface UnknownDevice {
  readonly device: DeviceId
  readonly name: string
  readonly address: string
}
