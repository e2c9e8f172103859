/** The Basic Encoding Rules as LDAP uses them: definite lengths, tags of one byte. */
import { TwinfoldError } from '../errors.ts'

export const TAG = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30 } as const

export interface BerValue {
  readonly tag: number
  readonly content: Uint8Array
}

export function berValue(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  return Buffer.concat([Uint8Array.of(tag, ...lengthBytes(content.length)), content]) // at most 5 bytes
}

export function berText(text: string, tag: number = TAG.octets): Uint8Array {
  return berValue(tag, Buffer.from(text))
}

/** From 0 up to 2^31 - 1. */
export function berNumber(value: number, tag: number = TAG.integer): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; bytes.length === 0 || rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  if (bytes[0]! > 0x7f) bytes.unshift(0)
  return berValue(tag, Uint8Array.from(bytes))
}

export function berFlag(value: boolean): Uint8Array {
  return berValue(TAG.boolean, Uint8Array.of(value ? 0xff : 0))
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 + bytes.length, ...bytes]
}

/** How many bytes follow the second byte of a value for its length, and the length if none do. Throws as `readBer`. */
export function lengthOf(second: number): { readonly more: number; readonly length: number } {
  if (second < 0x80) return { more: 0, length: second }
  const more = second - 0x80
  if (more < 1 || more > 4) throw malformed('a length of another form')
  return { more, length: 0 }
}

export function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

/** The values that follow each other. Throws `password-unavailable` where they do not fill the bytes exactly. */
export function readBer(bytes: Uint8Array): readonly BerValue[] {
  const found: BerValue[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + 2 > bytes.length) throw malformed('a value without a length')
    const { more, length } = lengthOf(bytes[at + 1]!)
    const start = at + 2 + more
    const end = start + (more === 0 ? length : bigEndian(bytes.subarray(at + 2, start)))
    if (start > bytes.length || end > bytes.length) throw malformed('a value that is longer than its message')
    found.push({ tag: bytes[at]!, content: bytes.subarray(start, end) })
    at = end
  }
  return found
}

export function malformed(what: string): TwinfoldError {
  return new TwinfoldError('password-unavailable', `the directory server sent ${what}`)
}
