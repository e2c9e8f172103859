import { folderRoot } from '../core/config/folder-root.ts'
import { safetyOn } from '../core/config/safety.ts'
import { parseDuration } from '../core/duration.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'
import {
  formatInvitation,
  invitedAddresses,
  INVITED_ADDRESSES_MAX,
  INVITED_FOLDERS_MAX,
  parseInvitation,
  SECRET_BYTES,
  type Invitation,
  type InvitedFolder,
} from '../core/invitations/invitation.ts'
import type { InvitedType } from '../core/invitations/invitation-link.ts'
import { joinedFolders, joinRefusal, withInviter, type JoinedFolder } from '../core/invitations/join.ts'
import { checkNewInvitation, EXPIRES_MS_DEFAULT, newInvitation } from '../core/invitations/open-invitations.ts'
import { invitationKey } from '../core/invitations/proof.ts'
import { takeTurns } from '../core/network/take-turns.ts'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import type { Invitations } from './invitations.ts'
import type { NewFolderCheck } from './new-folder.ts'
import type {
  ConfigStore,
  ExtensionStore,
  InvitationsView,
  JoinRequest,
  JoinResult,
  NewInvitation,
  WantedInvitation,
} from './types.ts'

export interface InvitingDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Random
  readonly config: Pick<ConfigStore, 'current' | 'change'>
  readonly extensions: Pick<ExtensionStore, 'change'>
  readonly invitations: Invitations
  /** On which this device can be reached. */
  addresses(): { readonly lan: readonly string[]; readonly wan: readonly string[] }
  checkFolder(path: string): Promise<NewFolderCheck>
  /** Our next Hello to this device has a proof. */
  reconnect(device: DeviceId): void
}

/** Makes invitations of this device, and uses those of others. */
export class Inviting implements InvitationsView {
  readonly #deps: InvitingDeps
  readonly #own: { readonly ownDevice: DeviceId; readonly userHome: string }

  constructor(deps: InvitingDeps, own: { readonly ownDevice: DeviceId; readonly userHome: string }) {
    this.#deps = deps
    this.#own = own
  }

  get open(): InvitationsView['open'] {
    return this.#deps.invitations.current.invitations
  }

  async revoke(id: string): Promise<boolean> {
    return await this.#deps.invitations.revoke(id)
  }

  async create({ folders, type, expires }: WantedInvitation): Promise<NewInvitation> {
    const { clock, config, invitations, random } = this.#deps
    const { ownDevice: device } = this.#own
    const lifetimeMs = expires === undefined ? EXPIRES_MS_DEFAULT : (parseDuration(expires, 'mhdw') ?? 0)
    checkNewInvitation(invitations.current, lifetimeMs)
    const invited = this.#invitedFolders(folders, type)
    const secret = random.bytes(SECRET_BYTES)
    const wanted = { folders: invited.map(({ id }) => id), type }
    const invitation = newInvitation(invitationKey(secret), wanted, clock.nowMs(), lifetimeMs)
    await invitations.add(invitation)
    const { expiresMs } = invitation
    const name = config.current.devices.find(({ deviceID }) => deviceID === device)?.name ?? ''
    const addresses = this.#addresses()
    return {
      invitation,
      text: formatInvitation({ device, name, addresses, folders: invited, expiresMs, secret }),
      addresses,
    }
  }

  async join({ text, path, check }: JoinRequest): Promise<JoinResult> {
    const { config } = this.#deps
    const invitation = parseInvitation(text)
    const refusal = joinRefusal(config.current, this.#own.ownDevice, invitation)
    if (refusal !== undefined) throw new TwinfoldError('refused', refusal)
    const placed = await this.#place(joinedFolders(config.current, invitation, path), path !== undefined || check)
    const { device, name, addresses, expiresMs } = invitation
    const isKnown = config.current.devices.some(({ deviceID }) => deviceID === device)
    if (!check) await this.#use(invitation, placed.folders)
    return { device, name, addresses, expiresMs, isKnown, ...placed }
  }

  async #use(invitation: Invitation, folders: readonly JoinedFolder[]): Promise<void> {
    const { clock, config, extensions, invitations } = this.#deps
    const { device, secret } = invitation
    const isKnown = config.current.devices.some(({ deviceID }) => deviceID === device)
    await invitations.addJoin({ ...invitationKey(secret), device, createdMs: clock.nowMs() })
    try {
      await config.change((current) => withInviter(current, invitation, folders))
    } catch (error) {
      await invitations.removeJoin(device)
      throw error
    }
    const added = config.current.folders.filter((folder) => folders.some(({ id, isNew }) => isNew && id === folder.id))
    const safety = added.map((folder) => [folder.id, safetyOn(folder).extensions] as const)
    if (safety.length > 0) await extensions.change({ folders: Object.fromEntries(safety) })
    if (isKnown) this.#deps.reconnect(device)
  }

  /** Throws for a directory that cannot become a folder, and for an existing one that was not named. */
  async #place(folders: readonly JoinedFolder[], isChosen: boolean): Promise<Pick<JoinResult, 'folders' | 'warnings'>> {
    const warnings: string[] = []
    const placed: JoinResult['folders'][number][] = []
    for (const folder of folders) {
      const path = folderRoot(folder, this.#own.userHome)
      if (!folder.isNew) {
        placed.push({ ...folder, path, exists: true })
        continue
      }
      const { problem, exists, warnings: found } = await this.#deps.checkFolder(path)
      if (problem !== null) throw new TwinfoldError('refused', `folder "${folder.id}": ${problem.text}`)
      if (exists && !isChosen)
        throw new TwinfoldError('refused', `${path} exists already; name it to use it, or another`)
      warnings.push(...found) // at most one per folder of this device
      placed.push({ ...folder, path, exists })
    }
    return { folders: placed, warnings }
  }

  #invitedFolders(ids: readonly string[], type: InvitedType): readonly InvitedFolder[] {
    if (ids.length > INVITED_FOLDERS_MAX) {
      throw new TwinfoldError('bad-request', `an invitation is for ${INVITED_FOLDERS_MAX} folders at most`)
    }
    const { folders } = this.#deps.config.current
    return [...new Set(ids)].map((id) => {
      const folder = folders.find((one) => one.id === (id as FolderId))
      if (folder === undefined) throw new TwinfoldError('bad-request', `there is no folder ${id}`)
      if (folder.type === 'receiveencrypted') {
        throw new TwinfoldError(
          'bad-request',
          `the folder ${id} is encrypted here; invite from a device that can read it`,
        )
      }
      return { id: folder.id, label: folder.label, type }
    })
  }

  #addresses(): readonly string[] {
    const { lan, wan } = this.#deps.addresses()
    return takeTurns([invitedAddresses(lan), invitedAddresses(wan)], INVITED_ADDRESSES_MAX)
  }
}
