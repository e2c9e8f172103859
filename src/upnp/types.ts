import type { InterfaceAddress } from '../platform/platform.ts'

/** A listener whose port is to be reachable from outside. */
export interface MappedListener {
  /** Its address in the configuration. */
  readonly listener: string
  readonly scheme: string
  /** Empty or unspecified: every address of the machine. */
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
}

export interface MapRequest {
  readonly internalPort: number
  /** External ports in the order in which to try them. */
  readonly externalPorts: readonly number[]
  /** 0 for a mapping without an end. */
  readonly leaseS: number
  /** Time until the next renewal, a lease where a gateway grants none without an end. */
  readonly renewalS: number
}

/** What a gateway has granted. */
export interface Grant {
  readonly internalPort: number
  readonly externalPort: number
  /** Undefined if the gateway does not report its external address. */
  readonly externalHost?: string
  /** Undefined for a mapping without an end. */
  readonly leaseS?: number
  /** Names the mapping at the gateway, where ports do not. */
  readonly handle?: string
}

/** A router of the local network that maps ports, by one protocol. */
export interface Gateway {
  /** Stable over restarts. */
  readonly id: string
  readonly protocol: 'PCP' | 'NAT-PMP' | 'UPnP' | 'UPnP IPv6'
  /** Its address in the local network. A router that supports several protocols has one mapping. */
  readonly host: string
  readonly family: 4 | 6
  /** The address of this machine in its network. */
  readonly local: InterfaceAddress
  /** Makes a mapping, or renews the one that was granted before. Rejects with the reason. */
  map(request: MapRequest, before: Grant | undefined, signal: AbortSignal): Promise<Grant>
  unmap(grant: Grant, signal: AbortSignal): Promise<void>
}

/** One mapping for display. */
export interface MappingStatus {
  readonly listener: string
  readonly protocol: Gateway['protocol']
  readonly gateway: string
  readonly internalPort: number
  /** Undefined if the gateway refused. */
  readonly externalPort?: number
  readonly externalHost?: string
  readonly expiresMs?: number
  readonly error: string | null
}

/** Read access for other facilities. */
export interface PortMappingView {
  /** Why nothing is mapped; null while it works or is off. */
  readonly error: string | null
  mappings(): readonly MappingStatus[]
}
