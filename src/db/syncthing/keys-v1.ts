import { damaged } from '../sqlite/damage.ts'

/** The types of keys, which are their first byte. The others are derived from these. */
export const KEY = {
  record: 0,
  deviceStatistic: 3,
  folderStatistic: 4,
  virtualTime: 5,
  folder: 6,
  device: 7,
  indexId: 8,
  counts: 9,
  misc: 10,
  blockList: 13,
  version: 15,
  pendingFolder: 16,
  pendingDevice: 17,
} as const

/** A key with one character per byte: numbers are four bytes, text is UTF-8. */
export function keyOf(type: number, ...parts: readonly (number | string | Uint8Array)[]): string {
  return String.fromCharCode(type) + parts.map(partOf).join('')
}

function partOf(part: number | string | Uint8Array): string {
  if (typeof part === 'string') return Buffer.from(part).toString('latin1')
  if (typeof part !== 'number') return Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
  return String.fromCharCode((part >>> 24) & 255, (part >>> 16) & 255, (part >>> 8) & 255, part & 255)
}

/** The first key after all that start with `prefix`. */
export function endOf(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  return last < 255 ? prefix.slice(0, -1) + String.fromCharCode(last + 1) : endOf(prefix.slice(0, -1))
}

/** The number of four bytes at a place. */
export function number32(key: string, at: number): number {
  if (key.length < at + 4) throw damaged('a key that is too short')
  return Buffer.from(key.slice(at, at + 4), 'latin1').readUInt32BE()
}
