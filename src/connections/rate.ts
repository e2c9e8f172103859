import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import { RateLimiter } from '../sync/rate-limiter.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'

/** Large writes are sliced, so that connections share a limit fairly. */
const SLICE_BYTES = 32 * 1024
const KIB = 1024

interface Pair {
  readonly send: RateLimiter
  readonly receive: RateLimiter
}

/** The limits of the configuration: one global pair and one pair per device. Both apply. */
export class RateLimits {
  readonly #clock: Clock
  readonly #global: Pair
  readonly #devices = new Map<DeviceId, Pair>()
  #limitLan = false

  constructor(clock: Clock, config: Config) {
    this.#clock = clock
    this.#global = this.#pair()
    this.apply(config)
  }

  apply({ options, devices }: Config): void {
    this.#limitLan = options.limitBandwidthInLan
    setRates(this.#global, options)
    for (const device of devices) setRates(this.#of(device.deviceID), device)
    const known = new Set(devices.map((device) => device.deviceID))
    for (const [id, pair] of this.#devices) {
      if (known.has(id)) continue
      setRates(pair, { maxSendKbps: 0, maxRecvKbps: 0 }) // releases pending callers
      this.#devices.delete(id)
    }
  }

  /** Removes all limits until they are applied again. */
  lift(): void {
    for (const pair of [this.#global, ...this.#devices.values()]) setRates(pair, { maxSendKbps: 0, maxRecvKbps: 0 })
  }

  /** Wraps the stream with the current limits of this device. */
  limit(stream: TlsStream, device: DeviceId, isLocal: boolean): TlsStream {
    const pairs = [this.#of(device), this.#global]
    return new LimitedStream(
      stream,
      () => pairs,
      () => !isLocal || this.#limitLan,
    )
  }

  /** The same for a device that is not configured, and may be later: anybody can connect, so nothing is kept of it. */
  limitUnknown(stream: TlsStream, device: DeviceId, isLocal: boolean): TlsStream {
    const pairs = (): readonly Pair[] => {
      const pair = this.#devices.get(device)
      return pair === undefined ? [this.#global] : [pair, this.#global]
    }
    return new LimitedStream(stream, pairs, () => !isLocal || this.#limitLan)
  }

  #of(device: DeviceId): Pair {
    const pair = this.#devices.get(device) ?? this.#pair()
    this.#devices.set(device, pair)
    return pair
  }

  #pair(): Pair {
    return { send: new RateLimiter(this.#clock), receive: new RateLimiter(this.#clock) }
  }
}

function setRates(pair: Pair, rates: { readonly maxSendKbps: number; readonly maxRecvKbps: number }): void {
  pair.send.setRate(Math.max(0, rates.maxSendKbps) * KIB) // named kbps in the configuration, measured in KiB/s
  pair.receive.setRate(Math.max(0, rates.maxRecvKbps) * KIB)
}

class LimitedStream implements TlsStream {
  readonly peerCertificate: Uint8Array
  readonly certificateCount: number
  readonly remoteAddress: string
  readonly crypto: string
  readonly readInto?: NonNullable<TlsStream['readInto']>
  readonly consumed?: () => Promise<void>
  readonly #stream: TlsStream
  readonly #pairs: () => readonly Pair[]
  readonly #isSubject: () => boolean

  constructor(stream: TlsStream, pairs: () => readonly Pair[], isSubject: () => boolean) {
    this.peerCertificate = stream.peerCertificate
    this.certificateCount = stream.certificateCount
    this.remoteAddress = stream.remoteAddress
    this.crypto = stream.crypto
    const readInto = stream.readInto?.bind(stream)
    if (readInto !== undefined) this.readInto = (target, onBytes) => this.#fill(readInto, target, onBytes)
    if (stream.consumed !== undefined) this.consumed = stream.consumed.bind(stream)
    this.#stream = stream
    this.#pairs = pairs
    this.#isSubject = isSubject
  }

  isNamed(name: string): boolean {
    return this.#stream.isNamed(name)
  }

  async read(): Promise<Uint8Array | undefined> {
    const data = await this.#stream.read()
    if (data !== undefined && this.#isLimited('receive')) {
      for (const pair of this.#pairs()) await pair.receive.pass(data.length)
    }
    return data
  }

  async #fill(
    readInto: NonNullable<TlsStream['readInto']>,
    target: Uint8Array,
    onBytes: (count: number) => void,
  ): Promise<boolean> {
    for (let at = 0; at < target.length;) {
      const isLimited = this.#isLimited('receive')
      const part = isLimited ? target.subarray(at, at + SLICE_BYTES) : target.subarray(at)
      if (!(await readInto(part, onBytes))) return false
      at += part.length
      if (isLimited) for (const pair of this.#pairs()) await pair.receive.pass(part.length)
    }
    return true
  }

  write(data: Uint8Array): Promise<void> | undefined {
    return this.#isLimited('send') ? this.#writeInSlices(data) : this.#stream.write(data)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#stream[Symbol.asyncDispose]())
  }

  #isLimited(direction: keyof Pair): boolean {
    if (!this.#isSubject()) return false
    for (const pair of this.#pairs()) if (pair[direction].isLimiting) return true
    return false
  }

  async #writeInSlices(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += SLICE_BYTES) {
      const slice = data.subarray(at, at + SLICE_BYTES)
      for (const pair of this.#pairs()) await pair.send.pass(slice.length)
      await this.#stream.write(slice)
    }
  }
}
