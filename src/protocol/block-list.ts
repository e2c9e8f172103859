import { HASH_SIZE_BYTES, TOKEN_SIZE_BYTES } from '../core/records/blocks.ts'
import type { Field } from '../core/wire/schema.ts'
import { WIRE_BYTES, WIRE_VARINT, type WireReader } from '../core/wire/reader.ts'
import type { WireWriter } from '../core/wire/writer.ts'

/**
 * The blocks of a file with all hashes in one buffer. Offsets and sizes follow from the rule that blocks are contiguous
 * and all but the last have the size of the first.
 */
export interface BlockList {
  readonly count: number
  /** One after the other; unusable when there is a fault. */
  readonly hashes: Uint8Array
  /** 32, or 48 in an encrypted folder. */
  readonly hashSizeBytes: number
  /** Of the first block. */
  readonly blockSizeBytes: number
  /** Of all together. */
  readonly sizeBytes: number
  /** How the list violates the rule. */
  readonly fault: string | undefined
}

/** Minimum wire size of one block with a hash: two tags and lengths, and the hash. */
const BLOCK_WIRE_BYTES_MIN = HASH_SIZE_BYTES + 5
const OFFSET = (1 << 3) | WIRE_VARINT
const SIZE = (2 << 3) | WIRE_VARINT
const HASH = (3 << 3) | WIRE_BYTES

/** `repeated BlockInfo`, read directly into one buffer. */
export function blockList(number: number): Field<BlockList | undefined> {
  return {
    number,
    wireType: WIRE_BYTES,
    isRepeated: true,
    start: () => undefined,
    read: (reader, before) => {
      const list = before instanceof BlockCollector ? before : new BlockCollector(reader.leftBytes)
      list.take(reader)
      return list
    },
    write: (writer, number, list) => {
      if (list !== undefined) writeBlocks(writer, number, list)
    },
  }
}

class BlockCollector implements BlockList {
  count = 0
  blockSizeBytes = 0
  sizeBytes = 0
  fault: string | undefined
  hashSizeBytes = HASH_SIZE_BYTES
  #hashes: Uint8Array
  #lastBytes = 0

  /** All blocks of the file are within the remaining bytes of its message: the buffer has room for all their hashes. */
  constructor(leftBytes: number) {
    // Pooled memory; its old content is never visible, because `hashes` ends with the last hash written.
    this.#hashes = Buffer.allocUnsafe(Math.ceil(leftBytes / BLOCK_WIRE_BYTES_MIN) * HASH_SIZE_BYTES)
  }

  get hashes(): Uint8Array {
    return this.#hashes.subarray(0, this.fault === undefined ? this.count * this.hashSizeBytes : 0)
  }

  take(reader: WireReader): void {
    const outerEnd = reader.enter()
    let offset = 0
    let sizeBytes = 0
    let hashed = false
    while (!reader.done) {
      const tag = reader.tag()
      if (tag === OFFSET) offset = reader.int64()
      else if (tag === SIZE) sizeBytes = reader.int32()
      else if (tag === HASH && this.fault === undefined) hashed = this.#takeHash(reader)
      else reader.skip(tag)
    }
    reader.leave(outerEnd)
    this.fault ??= hashed ? this.#misplaced(offset, sizeBytes) : 'block hash of the wrong length'
    if (this.count === 0) this.blockSizeBytes = sizeBytes
    this.count++
    this.sizeBytes += sizeBytes
    this.#lastBytes = sizeBytes
  }

  /** The first block decides whether the list is one of hashes or of tokens. */
  #takeHash(reader: WireReader): boolean {
    if (this.count === 0 && reader.nextLength === TOKEN_SIZE_BYTES) {
      this.hashSizeBytes = TOKEN_SIZE_BYTES
      this.#hashes = Buffer.allocUnsafe(Math.ceil(this.#hashes.length / HASH_SIZE_BYTES) * TOKEN_SIZE_BYTES)
    }
    return reader.copyTo(this.#hashes, this.count * this.hashSizeBytes, this.hashSizeBytes)
  }

  #misplaced(offset: number, sizeBytes: number): string | undefined {
    if (offset !== this.sizeBytes) return 'blocks that are not contiguous'
    if (sizeBytes < 0 || (sizeBytes === 0 && this.count > 0)) return 'block without a size'
    if (this.count === 0) return undefined
    if (sizeBytes > this.blockSizeBytes || this.#lastBytes !== this.blockSizeBytes) return 'blocks of different sizes'
    return undefined
  }
}

function writeBlocks(writer: WireWriter, number: number, list: BlockList): void {
  for (let i = 0; i < list.count; i++) {
    const offset = i * list.blockSizeBytes
    const sizeBytes = Math.min(list.blockSizeBytes, list.sizeBytes - offset)
    writer.tag(number, WIRE_BYTES)
    const start = writer.begin()
    if (offset > 0) {
      writer.uint32(OFFSET)
      writer.int64(offset)
    }
    if (sizeBytes > 0) {
      writer.uint32(SIZE)
      writer.uint32(sizeBytes)
    }
    writer.uint32(HASH)
    writer.bytes(list.hashes.subarray(i * list.hashSizeBytes, (i + 1) * list.hashSizeBytes))
    writer.end(start)
  }
}
