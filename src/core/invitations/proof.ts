import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { deviceIdBytes } from '../device-id.ts'
import type { DeviceId } from '../ids.ts'

/** The key that both sides derive from the secret. Who reads a stored one cannot make the invitation from it. */
export interface InvitationKey {
  /** Names the invitation in a proof; reveals nothing of the key. */
  readonly id: string
  readonly key: Uint8Array
}

/** The ends of one connection, and what only they can know of it. */
export interface ProofParties {
  readonly inviter: DeviceId
  readonly joiner: DeviceId
  /** Keying material that TLS exports; another connection has another one. */
  readonly exported: Uint8Array
}

/** The other end of a handshake, whose certificate was checked. */
export interface HandshakeParty {
  readonly device: DeviceId
  /** The keying material under a label; undefined if TLS exports none. */
  exported(label: string): Uint8Array | undefined
}

/** A proof as it arrives in a Hello. */
export interface ReceivedProof {
  readonly id: string
  readonly mac: Uint8Array
}

/** The label under which TLS exports the keying material. */
export const EXPORT_LABEL = 'EXPORTER-Twinfold-Invitation-1'
const VERSION = 1
const ID_BYTES = 8
const KEY_BYTES = 32
const MAC_BYTES = 32
const PROOF_BYTES = 1 + ID_BYTES + MAC_BYTES

export function invitationKey(secret: Uint8Array): InvitationKey {
  const derived = Buffer.from(hkdfSync('sha256', secret, '', 'Twinfold invitation 1', ID_BYTES + KEY_BYTES))
  return { id: derived.toString('hex', 0, ID_BYTES), key: new Uint8Array(derived.subarray(ID_BYTES)) }
}

/** Shows to the inviter, on this connection only, that the joiner has the secret. */
export function makeProof({ id, key }: InvitationKey, parties: ProofParties): Uint8Array {
  return Buffer.concat([Uint8Array.of(VERSION), Buffer.from(id, 'hex'), macOf(key, parties)])
}

/** Undefined for anything but a proof of this version. The bytes are copied: they are part of a received message. */
export function readProof(bytes: Uint8Array): ReceivedProof | undefined {
  if (bytes.length !== PROOF_BYTES || bytes[0] !== VERSION) return undefined
  const own = Buffer.from(bytes)
  return { id: own.toString('hex', 1, 1 + ID_BYTES), mac: new Uint8Array(own.subarray(1 + ID_BYTES)) }
}

/** In constant time. */
export function isProofValid(key: Uint8Array, parties: ProofParties, mac: Uint8Array): boolean {
  return mac.length === MAC_BYTES && timingSafeEqual(macOf(key, parties), mac)
}

/** All parts have a fixed length, so that no two inputs are the same bytes. */
function macOf(key: Uint8Array, { inviter, joiner, exported }: ProofParties): Buffer {
  return createHmac('sha256', key)
    .update('Twinfold invitation proof 1\0')
    .update(deviceIdBytes(inviter))
    .update(deviceIdBytes(joiner))
    .update(exported)
    .digest()
}
