import { damaged } from '../sqlite/damage.ts'

/** Decodes a block in Snappy's raw format. Throws `database-damaged`, also for more than `bytesMax` bytes. */
export function decodeSnappy(input: Buffer, bytesMax: number): Buffer {
  const header = lengthAt(input)
  if (header.value > bytesMax) throw damaged(`a block of ${header.value} bytes`)
  const output = Buffer.allocUnsafe(header.value)
  let at = header.next
  let filled = 0
  while (at < input.length) {
    const tag = input[at++] ?? 0
    const kind = tag & 3
    if (kind === 0) {
      const long = (tag >> 2) - 59
      const length = 1 + (long <= 0 ? tag >> 2 : numberAt(input, at, long))
      at += Math.max(0, long)
      if (length > input.length - at || length > output.length - filled) throw damaged('a literal outside of its block')
      input.copy(output, filled, at, at + length)
      at += length
      filled += length
      continue
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const offsetBytes = kind === 1 ? 1 : kind === 2 ? 2 : 4
    const offset = numberAt(input, at, offsetBytes) + (kind === 1 ? (tag >> 5) << 8 : 0)
    at += offsetBytes
    if (offset === 0 || offset > filled || length > output.length - filled) throw damaged('a copy outside of its block')
    // Byte by byte: the two ranges may overlap, which repeats the first one.
    for (let i = 0; i < length; i++) output[filled + i] = output[filled + i - offset] ?? 0
    filled += length
  }
  if (filled !== output.length) throw damaged('a block that is too short')
  return output
}

function numberAt(input: Buffer, at: number, bytes: number): number {
  if (bytes > input.length - at) throw damaged('a block that is too short')
  return input.readUIntLE(at, bytes)
}

function lengthAt(input: Buffer): { readonly value: number; readonly next: number } {
  let value = 0
  for (let at = 0; at < 5; at++) {
    const byte = input[at] ?? 0x80
    value += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { value, next: at + 1 }
  }
  throw damaged('a block without a length')
}
