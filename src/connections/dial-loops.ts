import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import type { ExistingConnections } from '../core/network/admission.ts'
import { Semaphore } from '../sync/semaphore.ts'
import type { Service } from '../sync/supervisor.ts'
import type { TlsStream } from '../platform/net.ts'
import { DialHistory } from './dial-history.ts'
import { addressSettings, DialLoop, type DialLoopDeps } from './dial-loop.ts'
import type { StreamOrigin } from './handshaker.ts'
import { SeenDevices } from './seen-devices.ts'
import type { DialStatus, UnknownDevice } from './types.ts'

const DIALS_MAX = 64

export interface DialLoopsDeps extends Pick<
  DialLoopDeps,
  'clock' | 'random' | 'log' | 'dialer' | 'relayDialer' | 'isLan' | 'lookup'
> {
  config(): Config
  present(device: DeviceId): ExistingConnections
  /** Resolves when the stream has become a connection to this device; rejects with the reason otherwise. */
  accept(stream: TlsStream, origin: StreamOrigin, signal: AbortSignal): Promise<void>
}

/** The dial loops of all configured devices that are not paused. */
export class DialLoops {
  readonly #deps: DialLoopsDeps
  readonly #ownDevice: DeviceId
  readonly #slots = new Semaphore(DIALS_MAX)
  readonly #loops = new Map<DeviceId, DialLoop>()
  readonly #history: DialHistory
  readonly #seen = new SeenDevices()

  constructor(deps: DialLoopsDeps, options: { readonly ownDevice: DeviceId }) {
    this.#deps = deps
    this.#ownDevice = options.ownDevice
    this.#history = new DialHistory(deps.clock)
  }

  /** The latest attempt at each address. */
  get history(): ReadonlyMap<string, DialStatus> {
    return this.#history.all()
  }

  wanted(): ReadonlyMap<string, () => Service> {
    const wanted = new Map<string, () => Service>()
    const ids = new Set<DeviceId>()
    for (const { deviceID, paused } of this.#deps.config().devices) {
      if (paused || deviceID === this.#ownDevice) continue
      ids.add(deviceID)
      wanted.set(`dial ${deviceID}`, () => this.#make(deviceID))
    }
    for (const id of this.#loops.keys()) if (!ids.has(id)) this.#loops.delete(id)
    return wanted
  }

  apply(from: Config, to: Config): void {
    for (const [device, loop] of this.#loops) {
      if (addressSettings(from, device) === addressSettings(to, device)) loop.ring()
      else loop.resetBackoff()
    }
  }

  /** A discovery server has answered. */
  ring(device: DeviceId): void {
    this.#loops.get(device)?.ring()
  }

  /** Discovery has other methods than before. */
  ringAll(): void {
    for (const loop of this.#loops.values()) loop.ring()
  }

  /** Other devices may be reachable now. */
  resetAll(): void {
    for (const loop of this.#loops.values()) loop.resetBackoff()
  }

  /** Discovery has new addresses of a device. */
  found(device: DeviceId): void {
    this.#loops.get(device)?.found()
  }

  /** A connection has ended. */
  lost(device: DeviceId): void {
    this.#loops.get(device)?.lost()
  }

  /** Once it is accepted, it is dialled where it came from. */
  unknownSeen(unknown: UnknownDevice): void {
    this.#seen.record(unknown)
  }

  #make(device: DeviceId): DialLoop {
    const { config, present, accept } = this.#deps
    const loop = new DialLoop(
      {
        ...this.#deps,
        slots: this.#slots,
        device: () => config().devices.find((one) => one.deviceID === device && !one.paused),
        options: () => config().options,
        present: () => present(device),
        lookup: (id) => this.#lookup(id),
        accept: (stream, { transport }, signal) => accept(stream, { transport, expected: device }, signal),
        onDialed: (address, failure, retryMs) => this.#history.record(address, failure, retryMs),
      },
      { device },
    )
    this.#loops.set(device, loop)
    return loop
  }

  #lookup(device: DeviceId): readonly (readonly string[])[] {
    return [...this.#deps.lookup(device), this.#seen.addressesOf(device)]
  }
}
