/** Records and frames built by hand, right or wrong. */
import { createHash } from 'node:crypto'
import { compressSync } from 'lz4-napi'
import { type MessageType, MESSAGE_TYPES } from '../../src/protocol/messages.ts'
import { bytesField, numberField } from './wire.ts'

/** A record of an index, every field as it shall be on the wire, possible or not. */
export interface WireRecord {
  readonly name: string | Uint8Array
  readonly type?: number
  readonly size?: number | bigint
  readonly permissions?: number
  readonly modifiedS?: number | bigint
  readonly modifiedNs?: number
  readonly deleted?: boolean
  readonly invalid?: boolean
  readonly counter?: number | bigint
  readonly sequence?: number | bigint
  readonly blockSize?: number
  readonly blocks?: readonly WireBlock[]
  readonly target?: string
}

export interface WireBlock {
  readonly offset: number | bigint
  readonly size: number | bigint
  readonly hash: Uint8Array
}

export const DIRECTORY = 1
export const SYMLINK = 4

export function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest()
}

/** An honest record of a file with this content. */
export function fileRecord(name: string | Uint8Array, content: Uint8Array, more: Partial<WireRecord> = {}): WireRecord {
  const sizeMax = 128 * 1024
  const blocks: WireBlock[] = []
  for (let offset = 0; offset === 0 || offset < content.length; offset += sizeMax) {
    const part = content.subarray(offset, offset + sizeMax)
    blocks.push({ offset, size: part.length, hash: sha256(part) })
  }
  return {
    name,
    size: content.length,
    permissions: 0o644,
    modifiedS: 1_700_000_000,
    blockSize: sizeMax,
    blocks,
    ...more,
  }
}

interface WireRequest {
  readonly id: number
  readonly folder?: string
  readonly name: string | Uint8Array
  readonly offset?: number | bigint
  readonly size: number | bigint
  readonly hash: Uint8Array
  readonly fromTemporary?: boolean
}

/** The body of a Request. */
export function request({
  id,
  folder = 'docs',
  name,
  offset = 0,
  size,
  hash,
  fromTemporary = false,
}: WireRequest): Uint8Array {
  return Buffer.concat([
    numberField(1, id),
    bytesField(2, folder),
    bytesField(3, name),
    numberField(4, offset),
    numberField(5, size),
    bytesField(6, hash),
    numberField(7, fromTemporary ? 1 : 0),
  ])
}

/** A whole Response. */
export function response(id: number, data: Uint8Array, code = 0): Uint8Array {
  return frame('Response', Buffer.concat([numberField(1, id), bytesField(2, data), numberField(3, code)]))
}

/** A frame whose body is compressed by LZ4, also if that saves nothing. */
export function packedFrame(type: MessageType, body: Uint8Array): Uint8Array {
  const packed = compressSync(Buffer.from(body))
  packed.writeUInt32BE(body.length, 0)
  return frame(type, packed, { compression: 1 })
}

/** A frame from its parts, not compressed by default. The lengths are correct by default. */
export function frame(
  type: MessageType | number,
  body: Uint8Array,
  lies: { readonly header?: number; readonly length?: number; readonly compression?: number } = {},
): Uint8Array {
  const typeField = numberField(1, typeof type === 'number' ? type : MESSAGE_TYPES.indexOf(type))
  const header = Buffer.concat([typeField, numberField(2, lies.compression ?? 0)])
  const lengths = Buffer.alloc(6)
  lengths.writeUInt16BE(lies.header ?? header.length, 0)
  lengths.writeUInt32BE(lies.length ?? body.length, 2)
  return Buffer.concat([lengths.subarray(0, 2), header, lengths.subarray(2), body])
}
