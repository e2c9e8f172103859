import { REFUSALS, refusalIn, type RefusalCode } from '../../core/refusals.ts'
import type { Config } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { foldersSharedWith, type RefusedFolder } from './cluster-config.ts'

/** Both ends configured the encryption of a folder differently: the connection to the device closes at once. */
export interface Disagreement {
  readonly device: DeviceId
  /** Undefined where only the device reported it, and several folders may be meant. */
  readonly folder: FolderId | undefined
  readonly code: RefusalCode
  /** When a connection was closed because of it the last time. */
  readonly whenMs: number
}

type Found = Omit<Disagreement, 'whenMs'> & { readonly isReported: boolean }

/** The devices whose settings for the encryption of a folder contradict ours. */
export class Disagreements {
  readonly #log: Logger
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #byDevice = new Map<DeviceId, Found & Disagreement>()

  constructor(log: Logger, clock: Pick<Clock, 'nowMs'>) {
    this.#log = log
    this.#clock = clock
  }

  /** Those of devices and folders that are still shared. What a connected device reported before is settled. */
  list(config: Config, isConnected: (device: DeviceId) => boolean): readonly Disagreement[] {
    return [...this.#byDevice.values()]
      .filter(({ device, isReported }) => !isReported || !isConnected(device))
      .filter(({ device, folder }) =>
        foldersSharedWith(config, device).some(({ id }) => folder === undefined || id === folder),
      )
      .map(({ device, folder, code, whenMs }) => ({ device, folder, code, whenMs }))
  }

  /** Found here; undefined: nothing contradicts. Logged once, not at every attempt to connect. */
  set(device: DeviceId, refused: RefusedFolder | undefined): void {
    if (refused !== undefined) this.#store({ device, ...refused, isReported: false })
    else if (this.#byDevice.get(device)?.isReported === false) this.#byDevice.delete(device)
  }

  /** The connection was closed. The device may have found what is not visible here, and does not name the folder. */
  closed(device: DeviceId, reason: string, config: Config): void {
    const known = this.#byDevice.get(device)
    if (known?.isReported === false) return // the same reason, with its folder
    const code = refusalIn(reason)
    if (code === undefined) return void this.#byDevice.delete(device)
    const [only, ...others] = foldersSharedWith(config, device)
    this.#store({ device, folder: others.length === 0 ? only?.id : undefined, code, isReported: true })
  }

  #store(found: Found): void {
    const known = this.#byDevice.get(found.device)
    this.#byDevice.set(found.device, { ...found, whenMs: this.#clock.nowMs() })
    if (known?.folder === found.folder && known?.code === found.code) return
    const { reason, remedy } = REFUSALS[found.code]
    const where = found.folder === undefined ? '' : `folder ${found.folder}: `
    this.#log.warn(`${where}device ${found.device}: ${reason}. ${remedy}`)
  }
}
