import type { DeviceId } from '../core/ids.ts'

/** One way to find devices: a discovery server, or the local network over IPv4 or IPv6. */
export interface DiscoveryMethod {
  readonly name: string
  /** Why it does not work at present; null while it works. */
  readonly error: string | null
  /** Current addresses of a device; empty if it is not found. Rejects only when the signal aborts. */
  lookup(device: DeviceId, signal: AbortSignal): Promise<readonly string[]>
  /** Everything found since the start, for display. */
  found(): ReadonlyMap<DeviceId, readonly string[]>
  /** The addresses of this device have changed. */
  addressesChanged(): void
  run(signal: AbortSignal): Promise<void>
}

/** The addresses on which this device can be reached. */
export interface OwnAddresses {
  readonly lan: readonly string[]
  readonly wan: readonly string[]
}

/** Read access for other facilities. */
export interface DiscoveryView {
  /** The error of each method by its name; null while it works. */
  status(): ReadonlyMap<string, string | null>
  found(): ReadonlyMap<DeviceId, readonly string[]>
}
