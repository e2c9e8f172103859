import { isAutoAccepted, pathsFor, withAccepted } from '../core/config/auto-accept.ts'
import type { Config } from '../core/config/config.ts'
import type { ExtensionsPatch } from '../core/config/extensions.ts'
import { extensionsOfNew } from '../core/config/safety.ts'
import { messageOf } from '../core/errors.ts'
import { applyIntroduction, type AnnouncedFolder } from '../core/config/introduce.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { ClusterConfig } from '../protocol/types.ts'
import type { Disk } from '../platform/disk.ts'
import type { FolderOffer } from './peers/cluster-config.ts'
import { writeIgnores } from './folder/ignore-file.ts'
import { folderRoot } from '../core/config/folder-root.ts'

export interface SharingDeps {
  readonly disk: Disk
  readonly log: Logger
  readonly config: { readonly current: Config; change(make: (current: Config) => Config): Promise<Config> }
  readonly extensions: { change(patch: ExtensionsPatch): Promise<unknown> }
  /** Receives the offers that the user has to decide. */
  pending(device: DeviceId, offers: readonly FolderOffer[]): void
}

export interface SharingOptions {
  readonly ownDevice: DeviceId
  readonly userHome: string
}

/** Applies auto-accept and introductions of trusted devices to our configuration, one change after the other. */
export class Sharing {
  readonly #deps: SharingDeps
  readonly #options: SharingOptions
  #last: Promise<void> = Promise.resolve()

  constructor(deps: SharingDeps, options: SharingOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** Resolves when all cluster configs received so far have been applied. */
  get settled(): Promise<void> {
    return this.#last
  }

  /** Offers that are not accepted automatically. */
  undecided(device: DeviceId, offers: readonly FolderOffer[]): readonly FolderOffer[] {
    return offers.filter((offer) => !isAutoAccepted(this.#deps.config.current, device, offer))
  }

  /** A device sent its cluster config. Returns at once: applying it may reconfigure the connection it came from. */
  onClusterConfig(device: DeviceId, received: ClusterConfig, offers: readonly FolderOffer[]): void {
    this.#last = this.#last
      .then(() => this.#apply(device, received, offers))
      .catch((error: unknown) => {
        this.#deps.log.warn(`applying the cluster config of device ${device} failed: ${messageOf(error)}`)
        this.#deps.pending(device, offers)
      })
  }

  async #apply(device: DeviceId, received: ClusterConfig, offers: readonly FolderOffer[]): Promise<void> {
    const left: FolderOffer[] = []
    const undecided = this.undecided(device, offers)
    for (const offer of offers) if (!(await this.#accept(device, offer))) left.push(offer)
    if (left.length > undecided.length) this.#deps.pending(device, left)
    const introduce = (config: Config): Config =>
      applyIntroduction(config, this.#options.ownDevice, device, announcedIn(received))
    const { config, log } = this.#deps
    if (introduce(config.current) === config.current) return
    const before = config.current
    const after = await config.change(introduce)
    log.info(`introductions by device ${device}: ${before.devices.length} devices before, ${after.devices.length} now`)
  }

  /** False when the user has to decide. */
  async #accept(device: DeviceId, offer: FolderOffer): Promise<boolean> {
    const { config, extensions, log } = this.#deps
    if (!isAutoAccepted(config.current, device, offer)) return false
    const isNew = !config.current.folders.some(({ id }) => id === offer.folder)
    const path = isNew ? await this.#freePath(offer) : undefined
    if (isNew && path === undefined) {
      log.warn(
        `folder ${JSON.stringify(offer.folder)} of device ${device} is not accepted: every path for it exists already`,
      )
      return false
    }
    const { folders } = await config.change((current) => withAccepted(current, device, offer, path))
    const accepted = folders.find(({ id }) => id === offer.folder)
    if (isNew && accepted !== undefined)
      await extensions.change({ folders: { [accepted.id]: extensionsOfNew(accepted) } })
    log.info(
      `folder ${JSON.stringify(offer.folder)} of device ${device} is accepted` +
        (path === undefined ? '' : ` at ${path}`),
    )
    return true
  }

  /** Creates the directory with the default ignore patterns. An existing path is not used. */
  async #freePath(offer: FolderOffer): Promise<string | undefined> {
    const { config, disk } = this.#deps
    for (const path of pathsFor(config.current, offer)) {
      const root = folderRoot({ path }, this.#options.userHome)
      if (
        await disk.lstat(root).then(
          () => true,
          () => false,
        )
      )
        continue // a path without access cannot be created either
      await disk.makeDirectories(root, 0o777)
      const { lines } = config.current.defaults.ignores
      if (lines.length > 0) await writeIgnores(disk, root, lines)
      return path
    }
    return undefined
  }
}

function announcedIn(received: ClusterConfig): readonly AnnouncedFolder[] {
  return received.folders.map(({ id, devices }) => ({
    id,
    devices: devices.map((device) => ({ ...device, encrypted: device.encryptionPasswordToken.length > 0 })),
  }))
}
