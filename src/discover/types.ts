import type { DeviceId } from '../core/ids.ts'

/** One way to find devices: a discovery server, or the local network over IPv4 or IPv6. */
export interface DiscoveryMethod {
  readonly name: string
  /** Why it does not work at present; null while it works. */
  readonly error: string | null
  /** What is known now of the addresses of a device, the best first. May start a request, whose end is reported. */
  lookup(device: DeviceId): readonly string[]
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
