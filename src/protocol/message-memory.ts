import type { DeviceId } from '../core/ids.ts'
import { ByteWindow } from '../sync/byte-window.ts'

const MIB = 1024 * 1024
/** Smaller messages are not counted: queues bound them, and a promise for each would cost more than they do. */
const COUNTED_BYTES_MIN = 64 * 1024
/** Two of the largest index messages. */
const DEVICE_BYTES_MAX = 64 * MIB
const TOTAL_BYTES_MAX = 256 * MIB

/** Limits the memory of messages by device, over all its connections, and in all. */
class Limit {
  readonly #total = new ByteWindow(TOTAL_BYTES_MAX)
  readonly #devices = new Map<DeviceId, ByteWindow>()

  /** Undefined for a message that is not counted. */
  acquire(device: DeviceId, bytes: number, signal: AbortSignal): Promise<Disposable> | undefined {
    return bytes < COUNTED_BYTES_MIN ? undefined : this.#acquire(device, bytes, signal)
  }

  /** The device comes first: one that has reached its limit blocks no other. */
  async #acquire(device: DeviceId, bytes: number, signal: AbortSignal): Promise<Disposable> {
    let window = this.#devices.get(device)
    if (window === undefined) this.#devices.set(device, (window = new ByteWindow(DEVICE_BYTES_MAX)))
    using held = new DisposableStack()
    held.use(await window.acquire(bytes, signal))
    held.use(await this.#total.acquire(bytes, signal))
    return held.move()
  }
}

/** Memory of large messages, shared by all connections. A message waits until it is within the limits. */
export class MessageMemory {
  /** Messages as they are received, until they are handled. */
  readonly received = new Limit()
  /** Decompressed messages. Separate: a received message must never wait for its own memory. */
  readonly unpacked = new Limit()
}
