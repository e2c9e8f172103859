import { isAutoAccepted, pathsFor, withAccepted } from '../core/config/auto-accept.ts'
import type { Config } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import { followIntroducer, type AnnouncedFolder } from '../core/config/introduce.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { ClusterConfig } from '../protocol/types.ts'
import type { Disk } from '../platform/disk.ts'
import type { FolderOffer } from './peers/cluster-config.ts'
import { writeIgnores } from './folder/ignore-file.ts'
import { folderRoot } from './folder/running-folder.ts'

export interface SharingDeps {
  readonly disk: Disk
  readonly log: Logger
  readonly config: { readonly current: Config; change(make: (current: Config) => Config): Promise<Config> }
  /** What nobody took is for people to decide. */
  pending(device: DeviceId, offers: readonly FolderOffer[]): void
}

export interface SharingOptions {
  readonly ownDevice: DeviceId
  readonly userHome: string
}

/** What follows for our configuration from what devices that we trust with it tell us. One change after the other. */
export class Sharing {
  readonly #deps: SharingDeps
  readonly #options: SharingOptions
  #last: Promise<void> = Promise.resolve()

  constructor(deps: SharingDeps, options: SharingOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** Resolves when everything that was heard so far has been followed. */
  get settled(): Promise<void> {
    return this.#last
  }

  /** Offers that are not taken without asking. */
  undecided(device: DeviceId, offers: readonly FolderOffer[]): readonly FolderOffer[] {
    return offers.filter((offer) => !isAutoAccepted(this.#deps.config.current, device, offer))
  }

  /** A device has said what it shares. Returns at once: a change of the configuration concerns the very device that speaks. */
  heard(device: DeviceId, word: ClusterConfig, offers: readonly FolderOffer[]): void {
    this.#last = this.#last
      .then(() => this.#follow(device, word, offers))
      .catch((error: unknown) => {
        this.#deps.log.warn(`what device ${device} shares could not be followed: ${messageOf(error)}`)
        this.#deps.pending(device, offers)
      })
  }

  async #follow(device: DeviceId, word: ClusterConfig, offers: readonly FolderOffer[]): Promise<void> {
    const left: FolderOffer[] = []
    const undecided = this.undecided(device, offers)
    for (const offer of offers) if (!(await this.#accept(device, offer))) left.push(offer)
    if (left.length > undecided.length) this.#deps.pending(device, left)
    const introduce = (config: Config): Config =>
      followIntroducer(config, this.#options.ownDevice, device, announcedIn(word))
    const { config, log } = this.#deps
    if (introduce(config.current) === config.current) return
    const before = config.current
    const after = await config.change(introduce)
    log.info(`device ${device} introduces: ${before.devices.length} devices before, ${after.devices.length} now`)
  }

  /** False where it is for people to decide. */
  async #accept(device: DeviceId, offer: FolderOffer): Promise<boolean> {
    const { config, log } = this.#deps
    if (!isAutoAccepted(config.current, device, offer)) return false
    const isNew = !config.current.folders.some(({ id }) => id === offer.folder)
    const path = isNew ? await this.#freePath(offer) : undefined
    if (isNew && path === undefined) {
      log.warn(
        `folder ${JSON.stringify(offer.folder)} of device ${device} is not accepted: there is something in every place for it`,
      )
      return false
    }
    await config.change((current) => withAccepted(current, device, offer, path))
    log.info(
      `folder ${JSON.stringify(offer.folder)} of device ${device} is accepted${path === undefined ? '' : ` at ${path}`}`,
    )
    return true
  }

  /** Made, with the patterns that new folders begin with. What is there already belongs to somebody. */
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
        continue // what cannot be looked at cannot be made either
      await disk.makeDirectories(root, 0o777)
      const { lines } = config.current.defaults.ignores
      if (lines.length > 0) await writeIgnores(disk, root, lines)
      return path
    }
    return undefined
  }
}

function announcedIn(word: ClusterConfig): readonly AnnouncedFolder[] {
  return word.folders.map(({ id, devices }) => ({
    id,
    devices: devices.map((device) => ({ ...device, encrypted: device.encryptionPasswordToken.length > 0 })),
  }))
}
