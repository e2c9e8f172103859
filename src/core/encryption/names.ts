import type { AesSiv } from './aes-siv.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV'
const BITS_PER_DIGIT = 5
const SUFFIX = '.syncthing-enc'
const SECOND_LENGTH = 2
/** Characters per component of an encrypted path, so that every file system can store it. */
const COMPONENT_LENGTH = 200

/** The encrypted path of a name. The whole path is one unit: the tree is not visible. */
export function encryptName(cipher: AesSiv, name: string): string {
  return slashed(toBase32Hex(cipher.seal(Buffer.from(name))))
}

/** Undefined for a path that is not the encrypted form of a name under this key. */
export function decryptName(cipher: AesSiv, path: string): string | undefined {
  const bytes = bytesOfPath(path)
  const plain = bytes === undefined ? undefined : cipher.open(bytes)
  if (plain === undefined) return undefined
  const name = plain.toString()
  // Only the one form that `encryptName` makes: other slashes or bits would be a second path of the same item.
  return Buffer.from(name).equals(plain) && slashed(toBase32Hex(bytes!)) === path ? name : undefined
}

/** Whether a path has the form of an encrypted one; whose it is only the key shows. */
export function isEncryptedPath(path: string): boolean {
  const bytes = bytesOfPath(path)
  return bytes !== undefined && slashed(toBase32Hex(bytes)) === path
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

function bytesOfPath(path: string): Buffer | undefined {
  if (!path.startsWith(SUFFIX, 1)) return undefined
  return fromBase32Hex(path.slice(0, 1) + path.slice(1 + SUFFIX.length).replaceAll('/', ''))
}

function isDigits(text: string): boolean {
  for (const char of text) if (!DIGITS.includes(char)) return false
  return text !== ''
}

/** RFC 4648, extended hex alphabet, without padding. */
function toBase32Hex(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= BITS_PER_DIGIT) {
      bits -= BITS_PER_DIGIT
      text += DIGITS[(value >> bits) & 0x1f]
    }
  }
  return bits > 0 ? text + DIGITS[(value << (BITS_PER_DIGIT - bits)) & 0x1f] : text
}

function fromBase32Hex(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(Math.floor((text.length * BITS_PER_DIGIT) / 8))
  let at = 0
  let bits = 0
  let value = 0
  for (const char of text) {
    const digit = DIGITS.indexOf(char)
    if (digit < 0) return undefined
    value = ((value << BITS_PER_DIGIT) | digit) & 0xfff
    bits += BITS_PER_DIGIT
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (value >> bits) & 0xff
  }
  return bytes
}
