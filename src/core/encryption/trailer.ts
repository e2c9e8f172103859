export const TRAILER_LENGTH_BYTES = 4

/** What follows the blocks of a stored file: its record as announced, and the length of that. */
export function trailerOf(encodedRecord: Uint8Array): Buffer {
  const trailer = Buffer.alloc(encodedRecord.length + TRAILER_LENGTH_BYTES)
  trailer.set(encodedRecord)
  trailer.writeUInt32BE(encodedRecord.length, encodedRecord.length)
  return trailer
}

/** The length of the record in front of the last four bytes of a file; undefined if the file is too short for it. */
export function recordLength(lastBytes: Uint8Array, fileSizeBytes: number): number | undefined {
  if (lastBytes.length !== TRAILER_LENGTH_BYTES) return undefined
  const length = new DataView(lastBytes.buffer, lastBytes.byteOffset).getUint32(0)
  return length > 0 && length + TRAILER_LENGTH_BYTES <= fileSizeBytes ? length : undefined
}
