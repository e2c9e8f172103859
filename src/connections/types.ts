import type { DeviceId } from '../core/ids.ts'

export interface ListenerStatus {
  readonly error: string | null
  readonly lanAddresses: readonly string[]
  readonly wanAddresses: readonly string[]
}

/** A listener that accepts connections. */
export interface OpenListener {
  /** Its address in the configuration. */
  readonly listener: string
  readonly scheme: string
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
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
  /** `tcp-client` when we dialled, `tcp-server` when the peer did. */
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

/** Status of listeners, dials and connections. */
export interface ConnectionsStatus {
  /** By listen address. */
  readonly listeners: ReadonlyMap<string, ListenerStatus>
  /** By address, the latest attempt. */
  readonly lastDials: ReadonlyMap<string, DialStatus>
  /** Only devices that are connected. */
  readonly devices: ReadonlyMap<DeviceId, DeviceFigures>
  /** Since the start, over all connections including closed ones. */
  readonly inBytesTotal: number
  readonly outBytesTotal: number
}

/** Read access for other facilities. */
export interface ConnectionsView {
  status(): ConnectionsStatus
}

/** An unconfigured device that requested a connection. The name is unverified. */
export interface UnknownDevice {
  readonly device: DeviceId
  readonly name: string
  readonly address: string
}
