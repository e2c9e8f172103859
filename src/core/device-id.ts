import { createHash } from 'node:crypto'
import { BASE32, decodeBase32, encodeBase32 } from './base32.ts'
import { TwinfoldError } from './errors.ts'
import type { DeviceId, ShortId } from './ids.ts'

const BASE = BASE32.length
const HASH_BYTES = 32
const GROUP_LENGTH = 13
const PLAIN_LENGTH = 52
const CHECKED_LENGTH = 56
const SHORT_TEXT_LENGTH = 7
/** Longer texts are refused before parsing. */
const INPUT_LENGTH_MAX = 256

/** The device id of a certificate: the hash of its DER form, as text. */
export function deviceIdFromCertificate(der: Uint8Array): DeviceId {
  return deviceIdFromBytes(createHash('sha256').update(der).digest())
}

/** The text of 32 bytes: base32, a check character after every 13, dashes between groups of seven. */
export function deviceIdFromBytes(bytes: Uint8Array): DeviceId {
  if (bytes.length !== HASH_BYTES) throw new Error(`a device id has ${HASH_BYTES} bytes, not ${bytes.length}`)
  return format(encodeBase32(bytes, BASE32))
}

/** The 32 bytes of an id, as in the wire format. */
export function deviceIdBytes(id: DeviceId): Uint8Array {
  return decode(withoutChecks(id.replaceAll('-', '')))
}

/**
 * Parses an id as users and older versions write it: any case, with or without dashes, blanks and check characters.
 * The empty text is the empty id, which REST and config use for "no device".
 */
export function parseDeviceIdOrEmpty(text: string): DeviceId | '' {
  if (text === '') return ''
  if (text.length > INPUT_LENGTH_MAX) throw invalid(`"${text.slice(0, 64)}…": device ID invalid: incorrect length`)
  const plain = text
    .replace(/=+$/, '')
    .toUpperCase()
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B')
    .replace(/[- ]/g, '')
  if (plain.length === PLAIN_LENGTH) {
    for (const character of plain) digitOf(character)
    return format(plain)
  }
  if (plain.length !== CHECKED_LENGTH) throw invalid(`"${text}": device ID invalid: incorrect length`)
  for (const character of plain) digitOf(character)
  const bare = withoutChecks(plain)
  if (withChecks(bare) !== plain) throw invalid(`"${plain}": check digit incorrect`)
  return format(bare)
}

/** The only conversion of external text to a device id. Throws `bad-request`, for the empty text too. */
export function parseDeviceId(text: string): DeviceId {
  const id = parseDeviceIdOrEmpty(text)
  if (id === '') throw invalid('"": device ID invalid: incorrect length')
  return id
}

/** The first eight bytes, big-endian. */
export function shortIdOf(id: DeviceId): ShortId {
  const bytes = deviceIdBytes(id)
  let value = 0n
  for (let i = 0; i < 8; i++) value = (value << 8n) | BigInt(bytes[i] ?? 0)
  return value as ShortId
}

/** The first seven characters of the long id; empty for the empty id. */
export function shortIdText(id: ShortId): string {
  if (id === 0n) return ''
  const bytes = new Uint8Array(8)
  for (let i = 0; i < 8; i++) bytes[i] = Number((id >> BigInt(56 - 8 * i)) & 0xffn)
  return encodeBase32(bytes, BASE32).slice(0, SHORT_TEXT_LENGTH)
}

/** Order of the bytes, not of the text: the digits 2 to 7 come after the letters. The empty id comes first. */
export function compareDeviceIds(a: DeviceId | '', b: DeviceId | ''): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return rank(a[i]) - rank(b[i])
  }
  return a.length - b.length
}

function rank(character: string | undefined): number {
  return BASE32.indexOf(character ?? '')
}

function invalid(message: string): TwinfoldError {
  return new TwinfoldError('bad-request', message)
}

function digitOf(character: string): number {
  const digit = BASE32.indexOf(character)
  if (digit < 0) throw notADigit(character)
  return digit
}

function decode(text: string): Uint8Array {
  const bytes = decodeBase32(text, BASE32)
  if (bytes === undefined) throw notADigit([...text].find((character) => !BASE32.includes(character)) ?? '')
  return bytes
}

function notADigit(character: string): TwinfoldError {
  return invalid(`digit ${quote(character)} not valid in alphabet "${BASE32}"`)
}

function quote(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 || code === 0x7f ? `'\\x${code.toString(16).padStart(2, '0')}'` : `'${character}'`
}

/** Luhn's check over base 32, from the left, with factors 1 2 1 2 …, as in Syncthing. */
export function checkCharacter(group: string): string {
  let factor = 1
  let sum = 0
  for (const character of group) {
    const addend = factor * digitOf(character)
    factor = factor === 2 ? 1 : 2
    sum += Math.floor(addend / BASE) + (addend % BASE)
  }
  return BASE32[(BASE - (sum % BASE)) % BASE] ?? ''
}

function withChecks(bare: string): string {
  let text = ''
  for (let i = 0; i < PLAIN_LENGTH; i += GROUP_LENGTH) {
    const group = bare.slice(i, i + GROUP_LENGTH)
    text += group + checkCharacter(group)
  }
  return text
}

function withoutChecks(checked: string): string {
  let text = ''
  for (let i = 0; i < CHECKED_LENGTH; i += GROUP_LENGTH + 1) text += checked.slice(i, i + GROUP_LENGTH)
  return text
}

function format(bare: string): DeviceId {
  // The last of the 52 characters carries one bit only: the other four are dropped, so that one id has one text.
  const canonical = encodeBase32(decode(bare), BASE32)
  return (withChecks(canonical).match(/.{7}/g) ?? []).join('-') as DeviceId
}
