import type { Grant, NewGrant } from '../core/access.ts'
import type { Config } from '../core/config/config.ts'
import type { Json } from '../core/config/config-json.ts'
import type { Extensions, ExtensionsPatch } from '../core/config/extensions.ts'
import type { Invitation } from '../core/invitations/invitation.ts'
import type { InvitedType } from '../core/invitations/invitation-link.ts'
import type { JoinedFolder } from '../core/invitations/join.ts'
import type { OpenInvitation } from '../core/invitations/open-invitations.ts'
import type { SetupPlan } from '../core/setup/setup-plan.ts'

/** A requested change: returns the whole new configuration without modifying the current one. */
export type ConfigChange = (current: Config) => Config

/** Reads and changes the configuration of a running daemon. */
export interface ConfigStore {
  readonly current: Config
  /** True once a change was made that only a restart applies. */
  readonly restartRequired: boolean
  /**
   * Normalises, checks, saves, notifies the subscribers, in that order; resolves when all of them have handled it.
   * A change that only resumes devices is saved while they are notified, and reverted if that fails.
   * A copy of the file is kept before items are removed from it or all of it is replaced.
   * Rejects with `config-invalid`, nothing changed, when the result is not a valid configuration.
   */
  change(make: ConfigChange): Promise<Config>
  /** Called with old and new, one change at a time; the next one waits for the returned promise. */
  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void
}

/** A folder or a device by its id. */
export interface PauseTarget {
  readonly kind: 'folder' | 'device'
  readonly id: string
}

/** A target that is resumed at this time. */
export interface TimedPause {
  readonly target: PauseTarget
  readonly untilMs: number
}

export interface TimedPausesView {
  /** Those that have not ended, the next one first. */
  all(): readonly TimedPause[]
  /** Rejects with `folder-missing` or `device-missing` if there is no such target. */
  pause(target: PauseTarget, forMs: number): Promise<void>
}

export type ExtensionListener = (from: Extensions, to: Extensions) => void | Promise<void>

/** Reads and changes the settings that Syncthing does not have. */
export interface ExtensionStore {
  readonly current: Extensions
  /** Saves, then notifies the subscribers; resolves when all of them have handled it. */
  change(patch: ExtensionsPatch): Promise<Extensions>
  /** Called with old and new, one change at a time; the next one waits for the returned promise. */
  subscribe(listener: ExtensionListener): void
}

/** Keys of programs and users of the page beside its owner. */
export interface GrantStore {
  readonly all: readonly Grant[]
  /** The key with this text, unless it has expired. */
  keyOf(text: string): Grant | undefined
  /** The user of this name, unless it has expired. */
  userOf(name: string): Grant | undefined
  /** Whether it is neither revoked nor expired. */
  isValid(grant: Grant): boolean
  /** Aborts when it is revoked. */
  ended(grant: Grant): AbortSignal
  lastUseMs(grant: Grant): number | undefined
  noteUse(grant: Grant): void
  /** Saved when it resolves, which is the only time that the key itself is known. Rejects with `bad-request`. */
  addKey(wanted: Omit<NewGrant, 'kind'>): Promise<{ readonly grant: Grant; readonly key: string }>
  addUser(wanted: Omit<NewGrant, 'kind'>, passwordHash: string): Promise<Grant>
  /** Valid until the call, no longer. Resolves with whether there was one. */
  revoke(kind: Grant['kind'], name: string): Promise<boolean>
}

export interface WantedInvitation {
  /** By id. */
  readonly folders: readonly string[]
  /** Proposed for the folders of the other device. */
  readonly type: InvitedType
  /** A duration such as `1d`; a day when absent. */
  readonly expires?: string | undefined
}

export interface NewInvitation {
  readonly invitation: OpenInvitation
  /** What is given to the other device. The secret in it is not stored. */
  readonly text: string
  /** On which the other device tries to reach this one, beside those that discovery finds. */
  readonly addresses: readonly string[]
}

export interface JoinRequest {
  /** The invitation, or a text that has it in it. */
  readonly text: string
  /** The directory of the folder; of several folders the directory above. */
  readonly path?: string | undefined
  /** Changes nothing. */
  readonly check: boolean
}

export interface JoinResult extends Pick<Invitation, 'device' | 'name' | 'addresses' | 'expiresMs'> {
  /** Whether the device was configured before. */
  readonly isKnown: boolean
  readonly folders: readonly (JoinedFolder & { readonly exists: boolean })[]
  readonly warnings: readonly string[]
}

/** Invitations of this device, and the use of those of others. */
export interface InvitationsView {
  readonly open: readonly OpenInvitation[]
  /** Saved when it resolves. Rejects with `bad-request`. */
  create(wanted: WantedInvitation): Promise<NewInvitation>
  /** Resolves with whether there was one. */
  revoke(id: string): Promise<boolean>
  /** Adds the inviting device and its folders. Rejects with `bad-request` or `refused`, nothing changed. */
  join(request: JoinRequest): Promise<JoinResult>
}

export interface SetupRequest {
  /** Changes nothing. */
  readonly check: boolean
  /** Removes what earlier files made and this one does not name. */
  readonly prune: boolean
  /** Sets again what was changed here since the file set it. */
  readonly resetDrift: boolean
}

/** Applies set-up files. */
export interface SetupView {
  /** Rejects with `bad-request`, nothing changed, for a document that is not valid. */
  apply(document: Json, request: SetupRequest): Promise<SetupPlan>
  /** The document of the running configuration, without secrets. */
  export(): Promise<Json>
}
