/** Messages of hostile peers, byte by byte. */

export const MIB = 1024 * 1024
export const CLUSTER_CONFIG = 0
export const UPDATE = 2
export const LZ4 = 1
/** Never aborts. */
export const NEVER = new AbortController().signal

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128)
    if (left < 128) return Buffer.from(bytes)
  }
}

export function field(number: number, body: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body])
}

/** Repetitions of `one` of about so many bytes. */
export function repeated(one: Uint8Array, bytes: number): Buffer {
  return Buffer.alloc(Math.ceil(bytes / one.length) * one.length, one)
}

export const FOLDER = field(1, Buffer.from('v'))
/** A record of an unknown type, which is skipped. */
export const UNKNOWN_RECORD = field(2, Buffer.concat([field(1, Buffer.from('a')), Buffer.from([0x10, 9])]))
export const EMPTY_FIELD = field(7, new Uint8Array(0))
export const BLOCK = field(16, Buffer.concat([Buffer.from([0x10, 1]), field(3, Buffer.alloc(32, 3))]))
export const DEVICE = field(16, field(1, Buffer.alloc(32, 5)))
