import type { Config } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'

/**
 * Saves the names that devices announce. Those that arrive while another change of the configuration is being saved are
 * one change: each is sent to every connected device.
 */
export class DeviceNames {
  readonly #config: { change(make: (current: Config) => Config): Promise<Config> }
  readonly #log: Logger
  #waiting = new Map<DeviceId, string>()

  constructor(config: { change(make: (current: Config) => Config): Promise<Config> }, log: Logger) {
    this.#config = config
    this.#log = log
  }

  set(device: DeviceId, name: string): void {
    const isFirst = this.#waiting.size === 0
    this.#waiting.set(device, name)
    if (!isFirst) return
    const names = this.#waiting
    const rename = (config: Config): Config => {
      this.#waiting = new Map()
      const devices = config.devices.map((known) => ({ ...known, name: names.get(known.deviceID) ?? known.name }))
      return { ...config, devices }
    }
    this.#config.change(rename).catch((error: unknown) => {
      if (this.#waiting === names) this.#waiting = new Map() // refused before it began
      this.#log.warn(`the names of ${names.size} devices could not be saved: ${messageOf(error)}`)
    })
  }
}
