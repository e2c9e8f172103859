import type { FileInfo } from '../core/records/file-info.ts'
import { ProtocolError } from '../core/wire/errors.ts'
import { decode, encode, hasOnlyOwnFields } from '../core/wire/schema.ts'
import { FILE_PART_COUNT_MAX } from './index-data.ts'
import { fileFromWire, fileToWire } from './file-info.ts'
import { FILE_INFO } from './messages.ts'

/** A record in wire form, without local fields. */
export function encodeRecord(file: FileInfo): Uint8Array {
  return encode(FILE_INFO, fileToWire(file))
}

/** False for bytes with fields that no record has, or with one of them twice. */
export function isPlainlyRecord(bytes: Uint8Array): boolean {
  try {
    return hasOnlyOwnFields(FILE_INFO, bytes)
  } catch (error) {
    if (error instanceof ProtocolError) return false
    throw error
  }
}

/** Undefined for bytes that are no record, or one that cannot be used. */
export function decodeRecord(bytes: Uint8Array): FileInfo | undefined {
  try {
    return fileFromWire(decode(FILE_INFO, bytes, FILE_PART_COUNT_MAX))
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}
