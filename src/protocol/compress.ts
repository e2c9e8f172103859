import { createRequire } from 'node:module'
import type * as Lz4 from 'lz4-napi'
import type { Compression } from '../core/config/config.ts'
import { malformed } from '../core/wire/errors.ts'
import type { TimeSlice } from '../sync/time-slice.ts'
import { decodeBlock } from './lz4-block.ts'
import type { MessageType } from './messages.ts'
import { inSlices } from './steps.ts'

/** The uncompressed length before the compressed data, big-endian. */
const LENGTH_BYTES = 4
const COMPRESSED_BYTES_MIN = 128
/** The maximum ratio of LZ4: a larger claimed length is invalid. */
const RATIO_MAX = 255
/** Up to this size the library is faster. Beyond it the memory it takes stays with the allocator for longer. */
const INLINE_BYTES_MAX = 256 * 1024

const require = createRequire(import.meta.url)

/** Loads 6 MiB of native code on first use, because a device without peers never needs it. Later calls are cached. */
function lz4(): typeof Lz4 {
  return require('lz4-napi') as typeof Lz4
}

/** Undefined when compression does not save at least 1/32 of the size. */
export function compress(body: Uint8Array): Uint8Array | undefined {
  const packed = lz4().compressSync(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  if (packed.length > body.length - Math.floor(body.length / 32)) return undefined
  packed.writeUInt32BE(body.length, 0) // the library writes it little-endian
  return packed
}

export function wantsCompression(setting: Compression, type: MessageType, lengthBytes: number): boolean {
  if (setting === 'never' || lengthBytes < COMPRESSED_BYTES_MIN) return false
  return setting === 'always' || type !== 'Response'
}

/** The uncompressed length that a compressed message claims, checked before anything is allocated. */
export function claimedBytes(packed: Uint8Array, lengthBytesMax: number): number {
  if (packed.length < LENGTH_BYTES) throw malformed('a compressed message without its length')
  const lengthBytes = new DataView(packed.buffer, packed.byteOffset).getUint32(0)
  if (lengthBytes > lengthBytesMax || lengthBytes > (packed.length - LENGTH_BYTES) * RATIO_MAX) {
    throw malformed(`a compressed message that claims ${lengthBytes} bytes`)
  }
  return lengthBytes
}

/**
 * The result has exactly the claimed length. Large ones are decoded in steps here: the asynchronous call of the library
 * never frees what it returns, and the synchronous one would let all other work wait.
 */
export async function uncompress(packed: Uint8Array, lengthBytesMax: number, slice: TimeSlice): Promise<Uint8Array> {
  const lengthBytes = claimedBytes(packed, lengthBytesMax)
  if (lengthBytes <= INLINE_BYTES_MAX) return uncompressInline(packed, lengthBytes)
  const body = Buffer.allocUnsafeSlow(lengthBytes)
  await inSlices(decodeBlock(packed.subarray(LENGTH_BYTES), body), slice)
  return body
}

function uncompressInline(packed: Uint8Array, lengthBytes: number): Uint8Array {
  const block = Buffer.from(packed) // a copy: the length is rewritten in place
  block.writeUInt32LE(lengthBytes, 0)
  let body: Uint8Array
  try {
    body = lz4().uncompressSync(block)
  } catch (cause) {
    throw malformed('a compressed message that cannot be decompressed', { cause })
  }
  if (body.length !== lengthBytes) throw malformed('a compressed message whose length differs from the claimed length')
  return body
}
