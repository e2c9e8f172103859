import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'

/** How the settings of both ends contradict each other for one folder. */
export interface Disagreement {
  readonly folder: FolderId
  readonly reason: string
}

/** The devices whose settings for the encryption of a folder contradict ours: the connection to them closes at once. */
export class Disagreements {
  readonly #log: Logger
  readonly #byDevice = new Map<DeviceId, Disagreement>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Undefined: the device agrees now. Logged once, not at every attempt to connect. */
  set(device: DeviceId, found: Disagreement | undefined): void {
    const known = this.#byDevice.get(device)
    if (found === undefined) this.#byDevice.delete(device)
    else this.#byDevice.set(device, found)
    if (found === undefined || (known?.folder === found.folder && known.reason === found.reason)) return
    this.#log.warn(`folder ${found.folder}: device ${device}: ${found.reason}`)
  }
}
