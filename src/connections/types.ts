import type { DeviceId } from '../core/ids.ts'
import type { HandshakeParty } from '../core/invitations/proof.ts'
import type { DialReason } from '../core/network/dial-failure.ts'
import type { Hello, MessageCounts } from '../protocol/types.ts'

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

/** The latest attempt at an address. */
export interface DialStatus {
  readonly whenMs: number
  /** In plain words; null for a connection. */
  readonly error: string | null
  /** The same for programs; undefined for a connection. */
  readonly reason?: DialReason
  /** When the address is dialled again, if it is. */
  readonly nextMs?: number
}

export interface ConnectionFigures {
  readonly startedMs: number
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  readonly messages: MessageCounts
  readonly address: string
  /** `tcp-client` when we dialled, `tcp-server` when the peer did; `relay-…` through a relay. */
  readonly type: string
  readonly isLocal: boolean
  readonly crypto: string
}

/** All connections to one device; the primary is the oldest. */
export interface DeviceFigures {
  readonly clientVersion: string
  /** How far its clock was ahead of ours when it connected; undefined where its Hello has no time. */
  readonly clockAheadMs?: number
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

/** Invitations: what our Hello proves to the device that gave us one, and what the Hello of another proves to us. */
export interface InvitationGate {
  /** Undefined for a device whose invitation we do not use. Its certificate was checked. */
  proofFor(party: HandshakeParty): Uint8Array | undefined
  /** Whether the device has proved an invitation; it is configured then. Rejects if it could not be added. */
  redeem(party: HandshakeParty, hello: Hello): Promise<boolean>
  /** The device has accepted us. */
  accepted(device: DeviceId): void
}

/** An unconfigured device that requested a connection. The name is unverified. */
export interface UnknownDevice {
  readonly device: DeviceId
  readonly name: string
  readonly address: string
  /** Whether it connected directly from the local network. */
  readonly isLocal: boolean
}
