import { BASE32_HEX, decodeBase32, encodeBase32 } from '../base32.ts'
import type { AesSiv } from './aes-siv.ts'

const SUFFIX = '.syncthing-enc'
const SECOND_LENGTH = 2
/** Characters per component of an encrypted path, so that every file system can store it. */
const COMPONENT_LENGTH = 200

/** The encrypted path of a name. The whole path is one unit: the tree is not visible. */
export function encryptName(cipher: AesSiv, name: string): string {
  return slashed(encodeBase32(cipher.seal(Buffer.from(name)), BASE32_HEX))
}

/** Undefined for a path that is not the encrypted form of a name under this key. */
export function decryptName(cipher: AesSiv, path: string): string | undefined {
  const bytes = bytesOfPath(path)
  const plain = bytes === undefined ? undefined : cipher.open(bytes)
  if (plain === undefined) return undefined
  const name = plain.toString()
  // Only the one form that `encryptName` makes: other slashes or bits would be a second path of the same item.
  return Buffer.from(name).equals(plain) && slashed(encodeBase32(bytes!, BASE32_HEX)) === path ? name : undefined
}

/** Whether a path has the form of an encrypted one; whose it is only the key shows. */
export function isEncryptedPath(path: string): boolean {
  const bytes = bytesOfPath(path)
  return bytes !== undefined && slashed(encodeBase32(bytes, BASE32_HEX)) === path
}

/** Whether a path is a directory above encrypted items, which is none itself. */
export function isEncryptedParent(path: string): boolean {
  const [first = '', second, ...others] = path.split('/')
  if (first.length !== 1 + SUFFIX.length || !isDigits(first.slice(0, 1)) || !first.endsWith(SUFFIX)) return false
  if (second === undefined) return true
  if (second.length !== SECOND_LENGTH || !isDigits(second)) return false
  return others.every((part) => part.length === COMPONENT_LENGTH && isDigits(part))
}

function slashed(text: string): string {
  const parts = [text.slice(0, 1) + SUFFIX, text.slice(1, 1 + SECOND_LENGTH)]
  for (let at = 1 + SECOND_LENGTH; at < text.length; at += COMPONENT_LENGTH) {
    parts.push(text.slice(at, at + COMPONENT_LENGTH))
  }
  return parts.join('/')
}

function bytesOfPath(path: string): Uint8Array | undefined {
  if (!path.startsWith(SUFFIX, 1)) return undefined
  return decodeBase32(path.slice(0, 1) + path.slice(1 + SUFFIX.length).replaceAll('/', ''), BASE32_HEX)
}

function isDigits(text: string): boolean {
  for (const char of text) if (!BASE32_HEX.includes(char)) return false
  return text !== ''
}
