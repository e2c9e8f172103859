import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import {
  checkProof,
  invitedFields,
  NOTHING_INVITED,
  parseInvited,
  withJoin,
  withoutExpired,
  withoutInvitation,
  withoutJoin,
  type Invited,
  type OpenInvitation,
  type OpenJoin,
} from '../core/invitations/open-invitations.ts'
import { redeemRefusal, withInvited } from '../core/invitations/join.ts'
import { EXPORT_LABEL, makeProof, readProof, type HandshakeParty } from '../core/invitations/proof.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import { readJsonFile, writeJsonFile } from '../platform/files/json-file.ts'
import { Mutex } from '../sync/mutex.ts'
import { TaskSet } from '../sync/task-set.ts'
import type { ConfigStore } from './types.ts'

const TEMPORARY_NAME = '.twinfold-invitations.tmp'

export interface InvitationDeps {
  readonly disk: Disk
  readonly clock: Pick<Clock, 'nowMs'>
  readonly config: Pick<ConfigStore, 'current' | 'change'>
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export interface InvitationOptions {
  readonly path: string
  readonly ownDevice: DeviceId
}

/** What a Hello says about a device. */
interface ProvingHello {
  readonly deviceName: string
  readonly invitationProof?: Uint8Array
}

/**
 * `twinfold-invitations.json`: open invitations of this device, and those of others that it uses. It holds keys that
 * are derived from the secrets, never the secrets. The home must be locked.
 */
export class Invitations {
  readonly #deps: InvitationDeps
  readonly #options: InvitationOptions
  readonly #lock = new Mutex()
  readonly #saving = new TaskSet()
  #invited: Invited

  constructor(deps: InvitationDeps, options: InvitationOptions, invited: Invited = NOTHING_INVITED) {
    this.#deps = deps
    this.#options = options
    this.#invited = invited
  }

  /** A damaged file holds nothing that could not be made again: the device starts without it. */
  static async open(deps: InvitationDeps, options: InvitationOptions): Promise<Invitations> {
    try {
      const stored = await readJsonFile(deps.disk, options.path)
      return new Invitations(deps, options, stored === undefined ? undefined : parseInvited(stored))
    } catch (error) {
      deps.log.warn(`${options.path}: ${messageOf(error)}; there are no invitations any more, make new ones`)
      return new Invitations(deps, options)
    }
  }

  /** Without those that have expired. */
  get current(): Invited {
    return withoutExpired(this.#invited, this.#deps.clock.nowMs())
  }

  /** Saved when it resolves. */
  async add(invitation: OpenInvitation): Promise<void> {
    await this.#change((now) => ({ ...now, invitations: [...now.invitations, invitation] }))
  }

  async addJoin(join: OpenJoin): Promise<void> {
    await this.#change((now) => withJoin(now, join))
  }

  async removeJoin(device: DeviceId): Promise<void> {
    await this.#change((now) => withoutJoin(now, device))
  }

  /** Valid until the call, no longer. Resolves with whether there was one. */
  async revoke(id: string): Promise<boolean> {
    if (!this.current.invitations.some((one) => one.id === id)) return false
    this.#invited = withoutInvitation(this.#invited, id) // before it is saved: a full disk must not keep it valid
    await this.#save()
    return true
  }

  proofFor({ device, exported }: HandshakeParty): Uint8Array | undefined {
    const join = this.current.joins.find((one) => one.device === device)
    const material = join === undefined ? undefined : exported(EXPORT_LABEL)
    if (join === undefined || material === undefined) return undefined
    return makeProof(join, { inviter: device, joiner: this.#options.ownDevice, exported: material })
  }

  accepted(device: DeviceId): void {
    if (!this.#invited.joins.some((one) => one.device === device)) return
    this.#deps.log.info(`device ${device} has accepted the invitation`)
    const removal = this.removeJoin(device).catch((error: unknown) => {
      this.#deps.log.warn(`the used invitation of device ${device} stays in the file: ${messageOf(error)}`)
    })
    this.#saving.add(removal)
  }

  /**
   * Whether the Hello proves an open invitation; then the device is configured and the folders are shared. Of two
   * devices with the same invitation one wins: it is used up before anything is awaited.
   */
  async redeem({ device, exported }: HandshakeParty, hello: ProvingHello): Promise<boolean> {
    const proof = hello.invitationProof === undefined ? undefined : readProof(hello.invitationProof)
    if (proof === undefined || !this.#invited.invitations.some(({ id }) => id === proof.id)) return false
    const material = exported(EXPORT_LABEL)
    if (material === undefined) return false
    const parties = { inviter: this.#options.ownDevice, joiner: device, exported: material }
    const { kind, invitation, invited } = checkProof(this.#invited, proof, parties, this.#deps.clock.nowMs())
    if (invitation === undefined) return false
    this.#invited = invited
    if (kind === 'accepted') return await this.#accept(device, hello.deviceName, invitation)
    await this.#save()
    this.#deps.log.warn(`device ${device} has a wrong proof of invitation ${proof.id}: ${triesText(invitation)}`)
    return false
  }

  /** Resolves when the last write has ended. */
  async settled(): Promise<void> {
    await this.#saving.ended()
  }

  async #accept(device: DeviceId, name: string, invitation: OpenInvitation): Promise<boolean> {
    const { config, log } = this.#deps
    const { id, folders } = invitation
    const refusal = redeemRefusal(config.current, device, folders)
    if (refusal !== undefined) log.warn(`device ${device} cannot use invitation ${id}: ${refusal}`)
    try {
      await this.#save() // before the device is added: after a crash in between the invitation is used up
      if (refusal !== undefined) return false
      await config.change((current) => withInvited(current, { device, name }, folders))
    } catch (error) {
      this.#invited = { ...this.#invited, invitations: [...this.#invited.invitations, invitation] }
      throw error
    }
    const shared = folders.length === 0 ? 'no folder' : folders.map((folder) => JSON.stringify(folder)).join(', ')
    log.info(`device ${device} has joined by invitation ${id}; shared with it: ${shared}`)
    return true
  }

  async #change(make: (now: Invited) => Invited): Promise<void> {
    const before = this.#invited
    this.#invited = make(this.current)
    try {
      await this.#save()
    } catch (error) {
      this.#invited = before
      throw error
    }
  }

  async #save(): Promise<void> {
    using _lock = await this.#lock.lock()
    const { path } = this.#options
    try {
      await writeJsonFile(this.#deps.disk, path, invitedFields(this.current), TEMPORARY_NAME)
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      throw new TwinfoldError('config-unsaved', `cannot save ${path}: ${messageOf(error)}`, { cause: error })
    }
  }
}

function triesText({ triesLeft }: OpenInvitation): string {
  return triesLeft === 0 ? 'it is revoked' : `${triesLeft} more until it is revoked`
}
