import type { Compression } from '../core/config/config.ts'
import type { TimeSlice } from '../sync/time-slice.ts'
import type { ByteReader } from './byte-reader.ts'
import { claimedBytes, compress, uncompress, wantsCompression } from './compress.ts'
import { malformed } from '../core/wire/errors.ts'
import type { Body } from './body.ts'
import { peekResponse } from './exchange.ts'
import { HEADER, MESSAGE_TYPES, type MessageType } from './messages.ts'
import { decode, encode, type Message } from '../core/wire/schema.ts'

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
/** Field 1, a number. */
const HEADER_TYPE_TAG = 1 << 3

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
  /** Resolves when the memory for a message of this length may be used; undefined where nothing is reserved. */
  reserve(lengthBytes: number): Promise<Disposable | undefined> | undefined
}

/**
 * The next message of a known type; others are skipped. Undefined when the peer has ended between messages. Throws
 * `malformed` for an invalid frame, and for a message above the limit of its type. Buffered bytes are not awaited: that
 * would cost more than reading them.
 */
export async function readFrame(bytes: ByteReader, listener: FrameListener): Promise<Frame | undefined> {
  for (;;) {
    listener.onProgress(false)
    const more = bytes.hasMore()
    if (more !== true && !(await more)) return undefined
    listener.onProgress(true)
    const first = bytes.take(2)
    const headerBytes = bigEndian(first instanceof Promise ? await first : first)
    if (headerBytes > HEADER_BYTES_MAX) throw malformed(`a header of ${headerBytes} bytes`)
    const second = bytes.take(headerBytes)
    const header = readHeader(second instanceof Promise ? await second : second)
    const third = bytes.take(4)
    const lengthBytes = bigEndian(third instanceof Promise ? await third : third)
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
    const isPacked = header.compression === COMPRESSION_LZ4
    if (type === 'Response' && !isPacked && lengthBytes > 0) {
      const start = bytes.peek()
      const head = peekResponse(start instanceof Promise ? await start : start, lengthBytes)
      const data = head && listener.bufferFor(head.id, head.dataBytes)
      if (head !== undefined && data !== undefined) {
        const skipping = bytes.discard(head.headBytes)
        if (skipping !== undefined) await skipping
        const filling = bytes.fill(data)
        if (filling !== undefined) await filling
        return { type, body: NO_BYTES, placed: { id: head.id, data } }
      }
    }
    const reserving = listener.reserve(lengthBytes)
    const reserved = reserving && (await reserving)
    try {
      const taken = bytes.take(lengthBytes)
      const body = taken instanceof Promise ? await taken : taken
      if (!isPacked) return { type, body, reserved }
      return { type, body, reserved, unpackedBytes: claimedBytes(body, MESSAGE_BYTES_MAX_OF[type]) }
    } catch (error) {
      reserved?.[Symbol.dispose]()
      throw error
    }
  }
}

/** A header of one number is the usual one: a type below 128, not compressed. */
function readHeader(bytes: Uint8Array): Message<typeof HEADER> {
  const type = bytes[1]
  const isUsual = bytes.length === 2 && bytes[0] === HEADER_TYPE_TAG && type !== undefined && type < 0x80
  return isUsual ? { type, compression: COMPRESSION_NONE } : decode(HEADER, bytes, 0)
}

/** The uncompressed body. */
export async function unpackBody({ type, body, unpackedBytes }: Frame, slice: TimeSlice): Promise<Uint8Array> {
  return unpackedBytes === undefined ? body : await uncompress(body, MESSAGE_BYTES_MAX_OF[type], slice)
}

const NO_BYTES = new Uint8Array(0)

function bigEndian(bytes: Uint8Array): number {
  let value = 0
  for (let at = 0; at < bytes.length; at++) value = value * 256 + bytes[at]!
  return value
}

/** Up to this size copying is cheaper than two writes. */
const JOINED_BYTES_MAX = 16 * 1024
const LENGTH_BYTES = 4

/** Encodes a message into consecutive pieces. A large body is not copied unless it is compressed. */
export function writeFrame(type: MessageType, body: Body, setting: Compression): readonly Uint8Array[] {
  const [head, tail, headroomBytes = 0] = body
  const lengthBytes = head.length + (tail?.length ?? 0)
  const packed = wantsCompression(setting, type, lengthBytes) ? compress(joined(body)) : undefined
  if (packed !== undefined) return pieces(headerOf(type, COMPRESSION_LZ4), packed.length, packed)
  const header = headerOf(type, COMPRESSION_NONE)
  if (tail === undefined) return pieces(header, lengthBytes, head)
  const frontBytes = header.length + LENGTH_BYTES + head.length
  if (frontBytes > headroomBytes) return pieces(header, lengthBytes, head, tail)
  const whole = Buffer.from(tail.buffer, tail.byteOffset - frontBytes, frontBytes + tail.length)
  writeFront(whole, header, lengthBytes, head)
  return [whole]
}

/** The message after its header and length, and with a last part: joined where it is small. */
function pieces(header: Uint8Array, lengthBytes: number, part: Uint8Array, last?: Uint8Array): readonly Uint8Array[] {
  const startBytes = header.length + LENGTH_BYTES
  const wholeBytes = startBytes + part.length + (last?.length ?? 0)
  const isJoined = wholeBytes <= JOINED_BYTES_MAX
  const isPartJoined = isJoined || last !== undefined
  const front = Buffer.allocUnsafe(isJoined ? wholeBytes : isPartJoined ? startBytes + part.length : startBytes)
  writeFront(front, header, lengthBytes, isPartJoined ? part : NO_BYTES)
  if (isJoined && last !== undefined) front.set(last, startBytes + part.length)
  return isJoined ? [front] : [front, last ?? part]
}

function writeFront(target: Buffer, header: Uint8Array, lengthBytes: number, part: Uint8Array): void {
  target.set(header)
  target.writeUInt32BE(lengthBytes, header.length)
  target.set(part, header.length + LENGTH_BYTES)
}

function joined([head, tail]: Body): Uint8Array {
  return tail === undefined ? head : Buffer.concat([head, tail])
}

/** All headers, with their lengths: there are sixteen. */
const HEADERS = [COMPRESSION_NONE, COMPRESSION_LZ4].map((compression) => {
  return new Map(
    MESSAGE_TYPES.map((type, number) => {
      const header = encode(HEADER, { type: number, compression })
      return [type, Buffer.from([header.length >> 8, header.length & 0xff, ...header])] // at most 4 bytes
    }),
  )
})

function headerOf(type: MessageType, compression: number): Uint8Array {
  return HEADERS[compression]?.get(type) ?? NO_BYTES
}
