import { timingSafeEqual } from 'node:crypto'
import type { RefusalCode } from '../refusals.ts'

/** What both ends state about the encryption of one folder. An empty token is none. */
export interface EncryptionCase {
  /** Bytes of a token of the folder. */
  readonly tokenBytes: number
  /** The device is marked as untrusted here. */
  readonly isUntrusted: boolean
  /** The token that the device announced for us: it encrypts for us. */
  readonly forUs: Uint8Array
  /** The token that the device announced for itself: it holds encrypted data. */
  readonly ofPeer: Uint8Array
  /** The token of our password for the device; undefined where there is none. */
  readonly own: Uint8Array | undefined
  /** We hold the folder encrypted. */
  readonly isEncryptedHere: boolean
  /** The token of the data that we hold encrypted; undefined before the first contact. */
  readonly stored: Uint8Array | undefined
}

export type EncryptionVerdict =
  | { readonly kind: 'agreed' }
  /** First contact: this token is the one of the data that will be stored here. */
  | { readonly kind: 'store'; readonly token: Uint8Array }
  | { readonly kind: 'refused'; readonly code: RefusalCode }

const AGREED: EncryptionVerdict = { kind: 'agreed' }
/** Whether both ends agree on plain or encrypted data and on the password. */
export function checkPasswords(state: EncryptionCase): EncryptionVerdict {
  const { tokenBytes, isUntrusted, forUs, ofPeer, own, isEncryptedHere, stored } = state
  const isToken = ({ length }: Uint8Array) => length === 0 || length === tokenBytes
  if (!isToken(forUs) || !isToken(ofPeer)) return refused('malformed-token')
  const isPlainHere = own === undefined && !isEncryptedHere
  const hasToken = forUs.length > 0 || ofPeer.length > 0
  if (isPlainHere && isUntrusted) return refused('plain-for-untrusted')
  if (isPlainHere && !hasToken) return AGREED
  if (own !== undefined && isEncryptedHere) return refused('already-encrypted')
  if (forUs.length > 0 && ofPeer.length > 0) return refused('both-encrypted')
  if (!hasToken) return refused(own !== undefined ? 'plain-there' : 'plain-sent')
  if (isPlainHere) return refused('encrypted-there')
  const announced = forUs.length > 0 ? forUs : ofPeer
  const expected = isEncryptedHere ? stored : own
  if (expected === undefined) return { kind: 'store', token: announced }
  return isSame(expected, announced) ? AGREED : refused('other-password')
}

function refused(code: RefusalCode): EncryptionVerdict {
  return { kind: 'refused', code }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
