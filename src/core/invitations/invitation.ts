import { hash } from 'node:crypto'
import { deviceIdBytes, deviceIdFromBytes } from '../device-id.ts'
import { TwinfoldError } from '../errors.ts'
import { plainText } from '../formats/plain-text.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../ids.ts'
import { parseAddress } from '../network/address.ts'
import { bytes, int32, int64, manyTexts, repeatedMessage, text } from '../wire/fields.ts'
import { decode, encode, message, type Message } from '../wire/schema.ts'
import { INVITATION_PREFIX, INVITED_TYPES, invitationStart, type InvitedType } from './invitation-link.ts'

export const SECRET_BYTES = 16
export const INVITED_FOLDERS_MAX = 16
export const INVITED_ADDRESSES_MAX = 8

/** A folder of the inviting device, and the type that it proposes for the other one. */
export interface InvitedFolder {
  readonly id: FolderId
  readonly label: string
  readonly type: InvitedType
}

/** What another device needs to join: where this one is, what is shared, and a secret that is used once. */
export interface Invitation {
  readonly device: DeviceId
  readonly name: string
  readonly addresses: readonly string[]
  readonly folders: readonly InvitedFolder[]
  /** For display: the clock of the inviting device decides. */
  readonly expiresMs: number
  readonly secret: Uint8Array
}

const VERSION = '1'
const CHECK_BYTES = 4
const DEVICE_BYTES = 32
const PARTS_MAX = INVITED_FOLDERS_MAX + INVITED_ADDRESSES_MAX + 2
const LENGTH_MAX = 16 * 1024
const NAME_LENGTH_MAX = 64
const LABEL_LENGTH_MAX = 256
const ID_LENGTH_MAX = 256
const EXPIRES_S_MAX = 8_640_000_000_000 // the end of what a date can express

const FOLDER = message({ id: text(1), label: text(2), type: int32(3) })
const PAYLOAD = message({
  device: bytes(1),
  secret: bytes(2),
  expires: int64(3),
  name: text(4),
  addresses: manyTexts(5),
  folders: repeatedMessage(6, FOLDER),
})

/** One word that can be sent, shown as a QR code or opened as a link. */
export function formatInvitation(invitation: Invitation): string {
  const { device, name, addresses, folders, expiresMs, secret } = invitation
  const payload = encode(PAYLOAD, {
    device: deviceIdBytes(device),
    secret,
    expires: Math.floor(expiresMs / 1_000),
    name: plainText(name, NAME_LENGTH_MAX),
    addresses: addresses.slice(0, INVITED_ADDRESSES_MAX),
    folders: folders.map(({ id, label, type }) => ({ id, label, type: INVITED_TYPES.indexOf(type) })),
  })
  return INVITATION_PREFIX + VERSION + Buffer.concat([payload, checkBytes(payload)]).toString('base64url')
}

/** The invitation in a pasted text. Throws `bad-request` with the remedy. */
export function parseInvitation(input: string): Invitation {
  const start = invitationStart(input)
  if (start < 0) throw invalid(`this is no invitation; one begins with ${INVITATION_PREFIX}`)
  const rest = input.slice(start + INVITATION_PREFIX.length)
  const word = /^[\w-]*/.exec(rest)?.[0] ?? ''
  // Some programs break a long word into lines.
  const payload = payloadOf(word) ?? payloadOf(/^[\w\s-]*/.exec(rest)?.[0].replace(/\s+/g, '') ?? '')
  if (payload !== undefined) return invitationOf(payload)
  if (word !== '' && !word.startsWith(VERSION)) {
    throw invalid('the invitation is of a newer version of Twinfold; upgrade this device')
  }
  throw invalid('the invitation is incomplete or has a wrong character; copy all of it again')
}

/** Undefined where the check bytes are wrong. */
function payloadOf(word: string): Uint8Array | undefined {
  if (!word.startsWith(VERSION) || word.length > LENGTH_MAX) return undefined
  const all = Buffer.from(word.slice(VERSION.length), 'base64url')
  const payload = all.subarray(0, Math.max(0, all.length - CHECK_BYTES))
  return payload.length > 0 && checkBytes(payload).equals(all.subarray(payload.length)) ? payload : undefined
}

/** Against slips of the hand only: who makes an invitation makes its check bytes, too. */
function checkBytes(payload: Uint8Array): Buffer {
  return hash('sha256', payload, 'buffer').subarray(0, CHECK_BYTES)
}

function invitationOf(payload: Uint8Array): Invitation {
  let fields: Message<typeof PAYLOAD>
  try {
    fields = decode(PAYLOAD, payload, PARTS_MAX)
  } catch (cause) {
    throw invalid('the invitation cannot be read; ask for a new one', { cause })
  }
  const { device, secret, expires, name, addresses, folders } = fields
  if (device.length !== DEVICE_BYTES) throw invalid('the invitation names no device; ask for a new one')
  if (secret.length !== SECRET_BYTES) throw invalid('the invitation has no secret; ask for a new one')
  if (expires < 0 || expires > EXPIRES_S_MAX) throw invalid('the invitation has no valid end; ask for a new one')
  return {
    device: deviceIdFromBytes(device),
    name: plainText(name, NAME_LENGTH_MAX),
    addresses: addresses.filter(isDialled).slice(0, INVITED_ADDRESSES_MAX),
    folders: foldersOf(folders),
    expiresMs: expires * 1_000,
    secret: new Uint8Array(secret),
  }
}

function foldersOf(fields: Message<typeof PAYLOAD>['folders']): readonly InvitedFolder[] {
  const folders = fields.map(({ id, label, type }): InvitedFolder => {
    const folder = parseFolderId(id)
    const isPlain = folder !== undefined && plainText(id, ID_LENGTH_MAX) === id
    const invitedType = INVITED_TYPES[type]
    if (!isPlain || invitedType === undefined) {
      throw invalid('the invitation has a folder that this version does not understand; upgrade this device')
    }
    return { id: folder, label: plainText(label, LABEL_LENGTH_MAX), type: invitedType }
  })
  if (new Set(folders.map(({ id }) => id)).size !== folders.length) {
    throw invalid('the invitation names a folder twice; ask for a new one')
  }
  return folders
}

/** Of all addresses on which this device listens those that another one can dial. */
export function invitedAddresses(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses)].filter(isDialled).slice(0, INVITED_ADDRESSES_MAX)
}

function isDialled(address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed.kind === 'relay') return true
  return parsed.kind === 'tcp' && parsed.port > 0 && !['', '0.0.0.0', '::'].includes(parsed.host)
}

function invalid(text: string, options?: ErrorOptions): TwinfoldError {
  return new TwinfoldError('bad-request', text, options)
}
