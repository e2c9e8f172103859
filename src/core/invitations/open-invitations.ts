import { TwinfoldError } from '../errors.ts'
import { parseDeviceId } from '../device-id.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../ids.ts'
import { INVITED_TYPES, type InvitedType } from './invitation-link.ts'
import { isProofValid, type InvitationKey, type ProofParties, type ReceivedProof } from './proof.ts'

/** Wrong proofs until an invitation is revoked, over all connections and restarts. */
const TRIES_MAX = 5
const INVITATIONS_MAX = 100
const JOINS_MAX = 100
export const EXPIRES_MS_DEFAULT = 86_400_000
const EXPIRES_MS_MAX = 30 * 86_400_000
/** The clock of the inviting device decides about the end of an invitation: a proof is made for longer than any. */
const JOIN_MS_MAX = 2 * EXPIRES_MS_MAX

/** An invitation that is not used yet. */
export interface OpenInvitation extends InvitationKey {
  readonly folders: readonly FolderId[]
  readonly type: InvitedType
  readonly createdMs: number
  readonly expiresMs: number
  readonly triesLeft: number
}

/** An invitation of another device, until it has accepted this one. */
export interface OpenJoin extends InvitationKey {
  readonly device: DeviceId
  readonly createdMs: number
}

/** What is stored. */
export interface Invited {
  readonly invitations: readonly OpenInvitation[]
  readonly joins: readonly OpenJoin[]
}

export const NOTHING_INVITED: Invited = { invitations: [], joins: [] }

/** Throws `bad-request` for an invitation that may not be added to the others. */
export function checkNewInvitation(invited: Invited, lifetimeMs: number): void {
  if (lifetimeMs <= 0 || lifetimeMs > EXPIRES_MS_MAX) {
    throw new TwinfoldError('bad-request', 'an invitation expires after 30 days at most; use 1h, 1d, 4w')
  }
  if (invited.invitations.length >= INVITATIONS_MAX) {
    throw new TwinfoldError('bad-request', `there are ${INVITATIONS_MAX} open invitations already; revoke some`)
  }
}

export function newInvitation(
  key: InvitationKey,
  wanted: Pick<OpenInvitation, 'folders' | 'type'>,
  nowMs: number,
  lifetimeMs: number,
): OpenInvitation {
  return { ...key, ...wanted, createdMs: nowMs, expiresMs: nowMs + lifetimeMs, triesLeft: TRIES_MAX }
}

/** Without what has expired. The same object if nothing has. */
export function withoutExpired(invited: Invited, nowMs: number): Invited {
  const invitations = invited.invitations.filter(({ expiresMs }) => nowMs < expiresMs)
  const joins = invited.joins.filter(({ createdMs }) => Math.abs(nowMs - createdMs) < JOIN_MS_MAX)
  const isSame = invitations.length === invited.invitations.length && joins.length === invited.joins.length
  return isSame ? invited : { invitations, joins }
}

export function withoutInvitation(invited: Invited, id: string): Invited {
  return { ...invited, invitations: invited.invitations.filter((one) => one.id !== id) }
}

/** A later invitation of the same device replaces an earlier one. */
export function withJoin(invited: Invited, join: OpenJoin): Invited {
  const others = withoutJoin(invited, join.device).joins
  return { ...invited, joins: [...others.slice(-(JOINS_MAX - 1)), join] }
}

export function withoutJoin(invited: Invited, device: DeviceId): Invited {
  return { ...invited, joins: invited.joins.filter((one) => one.device !== device) }
}

/** What a proof does. */
export interface ProofResult {
  readonly kind: 'accepted' | 'wrong' | 'unknown'
  readonly invitation?: OpenInvitation
  /** Without the invitation if it was used or had its last try; the same object if nothing changes. */
  readonly invited: Invited
}

/**
 * Checks a proof. One of an id that does not exist, any more or at all, costs a comparison of ids and changes nothing:
 * only who has the invitation knows its id, so that strangers cannot use up its tries.
 */
export function checkProof(
  invited: Invited,
  { id, mac }: ReceivedProof,
  parties: ProofParties,
  nowMs: number,
): ProofResult {
  const invitation = invited.invitations.find((one) => one.id === id)
  if (invitation === undefined || nowMs >= invitation.expiresMs) return { kind: 'unknown', invited }
  const others = withoutInvitation(invited, id)
  if (isProofValid(invitation.key, parties, mac)) return { kind: 'accepted', invitation, invited: others }
  const left = { ...invitation, triesLeft: invitation.triesLeft - 1 }
  if (left.triesLeft === 0) return { kind: 'wrong', invitation: left, invited: others }
  const invitations = invited.invitations.map((one) => (one === invitation ? left : one))
  return { kind: 'wrong', invitation: left, invited: { ...invited, invitations } }
}

/** The fields of the file. */
export function invitedFields({ invitations, joins }: Invited): unknown {
  return {
    invitations: invitations.map(({ key, createdMs, expiresMs, ...rest }) => ({
      ...rest,
      key: Buffer.from(key).toString('base64url'),
      created: new Date(createdMs).toISOString(),
      expires: new Date(expiresMs).toISOString(),
    })),
    joins: joins.map(({ key, createdMs, ...rest }) => ({
      ...rest,
      key: Buffer.from(key).toString('base64url'),
      created: new Date(createdMs).toISOString(),
    })),
  }
}

/** Throws `config-invalid` for what cannot be read. */
export function parseInvited(value: unknown): Invited {
  const { invitations, joins } = Object(value)
  if (!Array.isArray(invitations)) throw wrong('invitations is not a list')
  if (!Array.isArray(joins)) throw wrong('joins is not a list')
  return {
    invitations: invitations.map((fields: unknown, i) => parseOpen(Object(fields), `invitations[${i}]`)),
    joins: joins.map((fields: unknown, i) => parseJoin(Object(fields), `joins[${i}]`)),
  }
}

type Fields = Readonly<Record<string, unknown>>

function parseOpen(fields: Fields, place: string): OpenInvitation {
  const { folders, type, expires, triesLeft } = fields
  const invitedType = INVITED_TYPES.find((one) => one === type)
  if (invitedType === undefined) throw wrong(`${place}.type is not valid`)
  if (!Array.isArray(folders)) throw wrong(`${place}.folders is not a list`)
  const ids = folders.map((id: unknown) => (typeof id === 'string' ? parseFolderId(id) : undefined))
  const tries = typeof triesLeft === 'number' && triesLeft >= 1 && triesLeft <= TRIES_MAX ? triesLeft : undefined
  if (tries === undefined || !Number.isInteger(tries)) throw wrong(`${place}.triesLeft is not valid`)
  return {
    ...parseCommon(fields, place),
    folders: ids.filter((id) => id !== undefined),
    type: invitedType,
    expiresMs: parseTime(expires, `${place}.expires`),
    triesLeft: tries,
  }
}

function parseJoin(fields: Fields, place: string): OpenJoin {
  const { device } = fields
  return { ...parseCommon(fields, place), device: parseDeviceId(typeof device === 'string' ? device : '') }
}

function parseCommon({ id, key, created }: Fields, place: string): InvitationKey & { readonly createdMs: number } {
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) throw wrong(`${place}.id is not valid`)
  const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64url')
  if (bytes.length !== 32) throw wrong(`${place}.key is not valid`)
  return { id, key: new Uint8Array(bytes), createdMs: parseTime(created, `${place}.created`) }
}

function parseTime(text: unknown, place: string): number {
  const timeMs = typeof text === 'string' ? Date.parse(text) : Number.NaN
  if (Number.isNaN(timeMs)) throw wrong(`${place} is not valid`)
  return timeMs
}

function wrong(text: string): TwinfoldError {
  return new TwinfoldError('config-invalid', text)
}
