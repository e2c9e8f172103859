import type { Compression } from '../core/config/config.ts'
import type { TimeSlice } from '../sync/time-slice.ts'
import type { ByteReader } from './byte-reader.ts'
import { claimedBytes, compress, uncompress, wantsCompression } from './compress.ts'
import { malformed } from '../core/wire/errors.ts'
import type { Body } from './body.ts'
import { peekResponse } from './exchange.ts'
import { HEADER, MESSAGE_TYPES, type MessageType } from './messages.ts'
import { decode, encode } from '../core/wire/schema.ts'

const MIB = 1024 * 1024
const HEADER_BYTES_MAX = 1_024
/** Syncthing's limit; a message of an unknown type up to this length is skipped. */
const MESSAGE_BYTES_MAX = 500_000_000

/**
 * The largest accepted message of each type, compressed or not. Real index messages have less than 1 MiB, or one record
 * with all blocks of a file: 32 MiB suffice for 11 TiB.
 */
const MESSAGE_BYTES_MAX_OF: Readonly<Record<MessageType, number>> = {
  ClusterConfig: 16 * MIB,
  Index: 32 * MIB,
  IndexUpdate: 32 * MIB,
  Request: MIB,
  Response: 16 * MIB + 64 * 1024,
  DownloadProgress: MIB,
  Ping: MIB,
  Close: MIB,
}

const COMPRESSION_NONE = 0
const COMPRESSION_LZ4 = 1

export interface Frame {
  readonly type: MessageType
  /** As received: compressed if `unpackedBytes` is set. */
  readonly body: Uint8Array
  /** The uncompressed length of a compressed message. */
  readonly unpackedBytes?: number
  /** The memory reserved for the message, until it is handled. */
  readonly reserved?: Disposable | undefined
  /** Set for a Response whose data was read directly into the buffer of the request; then there is no body. */
  readonly placed?: { readonly id: number; readonly data: Uint8Array }
}

export interface FrameListener {
  /** Whether the peer is in the middle of a message. */
  onProgress(midFrame: boolean): void
  /** The buffer for the data of this Response; undefined without one. */
  bufferFor(id: number, dataBytes: number): Uint8Array | undefined
  /** Resolves when the memory for a message of this length may be used. */
  reserve(lengthBytes: number): Promise<Disposable | undefined>
}

/**
 * The next message of a known type; others are skipped. Undefined when the peer has ended between messages. Throws
 * `malformed` for an invalid frame, and for a message above the limit of its type.
 */
export async function readFrame(bytes: ByteReader, listener: FrameListener): Promise<Frame | undefined> {
  for (;;) {
    listener.onProgress(false)
    if (!(await bytes.hasMore())) return undefined
    listener.onProgress(true)
    const headerBytes = bigEndian(await bytes.take(2))
    if (headerBytes > HEADER_BYTES_MAX) throw malformed(`a header of ${headerBytes} bytes`)
    const header = decode(HEADER, await bytes.take(headerBytes), 0)
    const lengthBytes = bigEndian(await bytes.take(4))
    if (lengthBytes > MESSAGE_BYTES_MAX) throw malformed(`a message of ${lengthBytes} bytes`)
    const type = MESSAGE_TYPES[header.type]
    if (header.compression !== COMPRESSION_NONE && header.compression !== COMPRESSION_LZ4) {
      throw malformed(`unknown compression ${header.compression}`)
    }
    if (type === undefined) {
      await bytes.discard(lengthBytes)
      continue
    }
    const lengthBytesMax = MESSAGE_BYTES_MAX_OF[type]
    if (lengthBytes > lengthBytesMax) throw malformed(`a ${type} of ${lengthBytes} bytes`)
    if (type === 'Response' && header.compression === COMPRESSION_NONE && lengthBytes > 0) {
      const placed = await placeResponse(bytes, lengthBytes, listener)
      if (placed !== undefined) return { type, body: NO_BYTES, placed }
    }
    return await readBody(bytes, type, lengthBytes, header.compression === COMPRESSION_LZ4, listener)
  }
}

async function readBody(
  bytes: ByteReader,
  type: MessageType,
  lengthBytes: number,
  isPacked: boolean,
  listener: Pick<FrameListener, 'reserve'>,
): Promise<Frame> {
  const reserved = await listener.reserve(lengthBytes)
  try {
    const body = await bytes.take(lengthBytes)
    const packing = isPacked ? { unpackedBytes: claimedBytes(body, MESSAGE_BYTES_MAX_OF[type]) } : {}
    return { type, body, reserved, ...packing }
  } catch (error) {
    reserved?.[Symbol.dispose]()
    throw error
  }
}

/** The uncompressed body. */
export async function unpackBody({ type, body, unpackedBytes }: Frame, slice: TimeSlice): Promise<Uint8Array> {
  return unpackedBytes === undefined ? body : await uncompress(body, MESSAGE_BYTES_MAX_OF[type], slice)
}

async function placeResponse(
  bytes: ByteReader,
  lengthBytes: number,
  listener: Pick<FrameListener, 'bufferFor'>,
): Promise<Frame['placed']> {
  const head = peekResponse(await bytes.peek(), lengthBytes)
  const data = head && listener.bufferFor(head.id, head.dataBytes)
  if (head === undefined || data === undefined) return undefined
  await bytes.discard(head.headBytes)
  await bytes.fill(data)
  return { id: head.id, data }
}

const NO_BYTES = new Uint8Array(0)

function bigEndian(bytes: Uint8Array): number {
  let value = 0
  for (const byte of bytes) value = value * 256 + byte
  return value
}

/** Up to this size copying is cheaper than two writes. */
const JOINED_BYTES_MAX = 16 * 1024

/** Encodes a message into consecutive pieces. A large body is not copied unless it is compressed. */
export function writeFrame(type: MessageType, body: Body, setting: Compression): readonly Uint8Array[] {
  const [head, tail, headroomBytes = 0] = body
  const lengthBytes = head.length + (tail?.length ?? 0)
  const packed = wantsCompression(setting, type, lengthBytes) ? compress(joined(body)) : undefined
  if (packed !== undefined) return pieces(prefix(type, COMPRESSION_LZ4, packed.length), packed)
  const start = prefix(type, COMPRESSION_NONE, lengthBytes)
  if (tail === undefined) return pieces(start, head)
  const front = joined([start, head])
  return front.length <= headroomBytes ? [withFront(front, tail)] : pieces(front, tail)
}

function pieces(head: Uint8Array, tail: Uint8Array): readonly Uint8Array[] {
  return head.length + tail.length <= JOINED_BYTES_MAX ? [joined([head, tail])] : [head, tail]
}

/** Writes the front into the headroom before the data. */
function withFront(front: Uint8Array, data: Uint8Array): Uint8Array {
  const whole = Buffer.from(data.buffer, data.byteOffset - front.length, front.length + data.length)
  whole.set(front)
  return whole
}

function joined([head, tail]: Body): Uint8Array {
  return tail === undefined ? head : Buffer.concat([head, tail])
}

function prefix(type: MessageType, compression: number, lengthBytes: number): Uint8Array {
  const header = encode(HEADER, { type: MESSAGE_TYPES.indexOf(type), compression })
  const bytes = Buffer.allocUnsafeSlow(2 + header.length + 4)
  bytes.writeUInt16BE(header.length, 0)
  bytes.set(header, 2)
  bytes.writeUInt32BE(lengthBytes, 2 + header.length)
  return bytes
}
