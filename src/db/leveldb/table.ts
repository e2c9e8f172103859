import { damaged } from '../sqlite/damage.ts'
import { maskedChecksum } from './crc32c.ts'
import { TRAILER_BYTES } from './manifest.ts'
import { decodeSnappy } from './snappy.ts'
import { VarintReader } from './varint.ts'

export const FOOTER_BYTES = 48
const MAGIC = 0xdb4775248b80fb57n
/** Compression type and checksum after each block. */
const BLOCK_TRAILER_BYTES = 5
const STORED = 0
const SNAPPY = 1
const BLOCK_BYTES_MAX = 64 * 1024 * 1024
const TYPE_VALUE = 1

export interface Handle {
  readonly offset: number
  readonly size: number
}

/** One version of a key. `value` undefined: it was deleted. */
export interface Version {
  readonly key: string
  readonly sequence: number
  readonly value: Buffer | undefined
}

/** The last key of a block of entries, and where the block is. */
export interface BlockEntry {
  readonly lastKey: string
  readonly handle: Handle
}

/** Where the index block of a table is, according to its last bytes. */
export function readFooter(footer: Buffer): Handle {
  if (footer.length !== FOOTER_BYTES || footer.readBigUInt64LE(FOOTER_BYTES - 8) !== MAGIC) throw damaged('no table')
  const reader = new VarintReader(footer, 0, FOOTER_BYTES - 8)
  handleOf(reader) // of the index of other blocks, which no reader needs
  return handleOf(reader)
}

function handleOf(reader: VarintReader): Handle {
  return { offset: reader.varint(), size: reader.varint() }
}

/** The bytes of a file that hold a block. */
export function spanOf({ offset, size }: Handle, fileBytes: number): { readonly start: number; readonly end: number } {
  const end = offset + size + BLOCK_TRAILER_BYTES
  if (!(size <= BLOCK_BYTES_MAX && end <= fileBytes)) throw damaged('a block outside of its file')
  return { start: offset, end }
}

/** The content of a block: checked, and decompressed. */
export function openBlock(raw: Buffer): Buffer {
  const end = raw.length - BLOCK_TRAILER_BYTES
  if (maskedChecksum(raw, 0, end + 1) !== raw.readUInt32LE(end + 1)) throw damaged('a block with a wrong checksum')
  const type = raw[end]
  if (type !== STORED && type !== SNAPPY) throw damaged(`a block of unknown compression ${type}`)
  const body = raw.subarray(0, end)
  return type === STORED ? body : decodeSnappy(body, BLOCK_BYTES_MAX)
}

function* entriesOf(block: Buffer): Generator<{ readonly key: string; readonly value: Buffer }> {
  if (block.length < 4) throw damaged('a block that is too short')
  const restarts = block.readUInt32LE(block.length - 4)
  const end = block.length - 4 - restarts * 4
  if (end < 0) throw damaged('a block that is too short')
  const reader = new VarintReader(block, 0, end)
  let before = ''
  while (!reader.done) {
    const shared = reader.varint()
    const unshared = reader.varint()
    const valueBytes = reader.varint()
    if (shared > before.length) throw damaged('a key that continues no other')
    before = before.slice(0, shared) + reader.key(unshared)
    yield { key: before, value: reader.bytes(valueBytes) }
  }
}

/** The blocks of a table, from its index block. */
export function readIndex(block: Buffer): readonly BlockEntry[] {
  const blocks: BlockEntry[] = []
  for (const { key, value } of entriesOf(block)) {
    if (key.length < TRAILER_BYTES) throw damaged('a key that is too short')
    blocks.push({ lastKey: key.slice(0, -TRAILER_BYTES), handle: handleOf(new VarintReader(value)) })
  }
  return blocks
}

/** The entries of a block, in order. */
export function readVersions(block: Buffer): readonly Version[] {
  const versions: Version[] = []
  for (const { key, value } of entriesOf(block)) {
    const end = key.length - TRAILER_BYTES
    if (end < 0) throw damaged('a key that is too short')
    const isValue = key.charCodeAt(end) === TYPE_VALUE
    versions.push({ key: key.slice(0, end), sequence: sequenceOf(key, end), value: isValue ? value : undefined })
  }
  return versions
}

/** Seven bytes after the type, the lowest first; a real one is far below 2^53. */
function sequenceOf(key: string, end: number): number {
  let sequence = 0
  for (let at = TRAILER_BYTES - 1; at > 0; at--) sequence = sequence * 256 + key.charCodeAt(end + at)
  return sequence
}
