import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'

/** Bounds memory and log lines, as any host can connect with any number of device IDs. */
const REASONS_MAX = 200

/** Logs each refused device once per reason: a refused device tries again every minute. */
export class RefusalLog {
  readonly #log: Logger
  readonly #logged = new Set<string>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Without a device, or after too many, only for debugging. */
  log(device: DeviceId | undefined, address: string, reason: string): void {
    const key = `${device} ${reason}`
    if (device === undefined || this.#logged.has(key) || this.#logged.size >= REASONS_MAX) {
      return this.#log.debug(() => `${address} was refused: ${reason}`)
    }
    this.#logged.add(key)
    this.#log.info(`${device} at ${address} was refused: ${reason}`)
  }

  /** After a change of the configuration the same refusal is reported again. */
  reset(): void {
    this.#logged.clear()
  }
}
