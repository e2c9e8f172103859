import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maskedChecksum } from '../../src/db/leveldb/crc32c.ts'

/** One operation: a value, or a deletion. Keys have one character per byte. */
export interface Write {
  readonly key: string
  readonly value: Uint8Array | undefined
}

const BLOCK_BYTES = 4_096
const LOG_BLOCK_BYTES = 32_768

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

function withLength(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), bytes])
}

function internalKey(key: string, sequence: number, isValue: boolean): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeBigUInt64LE((BigInt(sequence) << 8n) | (isValue ? 1n : 0n))
  return Buffer.concat([Buffer.from(key, 'latin1'), trailer])
}

/** Records in the format of logs and manifests. */
export function logFile(records: readonly Uint8Array[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const record of records) {
    for (let start = 0, first = true; first || start < record.length; first = false) {
      const left = LOG_BLOCK_BYTES - (at % LOG_BLOCK_BYTES)
      if (left < 7) {
        parts.push(Buffer.alloc(left))
        at += left
        first = start === 0
        continue
      }
      const end = Math.min(record.length, start + left - 7)
      const type = start === 0 ? (end === record.length ? 1 : 2) : end === record.length ? 4 : 3
      const fragment = Buffer.concat([Buffer.alloc(6), Buffer.from([type]), record.subarray(start, end)])
      fragment.writeUInt32LE(maskedChecksum(fragment, 6, fragment.length), 0)
      fragment.writeUInt16LE(end - start, 4)
      parts.push(fragment)
      at += fragment.length
      start = end
      if (record.length === 0) break
    }
  }
  return Buffer.concat(parts)
}

export function logRecord(sequence: number, writes: readonly Write[]): Buffer {
  const head = Buffer.alloc(12)
  head.writeBigUInt64LE(BigInt(sequence))
  head.writeUInt32LE(writes.length, 8)
  const operations = writes.map(({ key, value }) => {
    const name = withLength(Buffer.from(key, 'latin1'))
    return value === undefined
      ? Buffer.concat([Buffer.from([0]), name])
      : Buffer.concat([Buffer.from([1]), name, withLength(value)])
  })
  return Buffer.concat([head, ...operations])
}

/** As Snappy's format, without any compression. */
function asLiteral(data: Buffer): Buffer {
  const tag = Buffer.alloc(4)
  tag[0] = 61 << 2
  tag.writeUIntLE(data.length - 1, 1, 3)
  return Buffer.concat([varint(data.length), tag.subarray(0, 3), data])
}

function block(entries: readonly (readonly [key: Buffer, value: Uint8Array])[]): Buffer {
  const parts: Buffer[] = []
  let before = Buffer.alloc(0)
  for (const [key, value] of entries) {
    let shared = 0
    while (shared < before.length && before[shared] === key[shared]) shared++
    parts.push(
      varint(shared),
      varint(key.length - shared),
      varint(value.length),
      key.subarray(shared),
      Buffer.from(value),
    )
    before = Buffer.from(key)
  }
  // One restart point, at the start.
  return Buffer.concat([...parts, Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])])
}

function stored(body: Buffer, compress: boolean): Buffer {
  const raw = Buffer.concat([compress ? asLiteral(body) : body, Buffer.from([compress ? 1 : 0]), Buffer.alloc(4)])
  raw.writeUInt32LE(maskedChecksum(raw, 0, raw.length - 4), raw.length - 4)
  return raw
}

export interface Table {
  readonly data: Buffer
  readonly smallest: Buffer
  readonly largest: Buffer
}

/** A table of sorted keys, all with one sequence number; `blockBytes` as LevelDB chooses it, or smaller. */
export function tableFile(
  writes: readonly Write[],
  sequence: number,
  compress = true,
  blockBytes = BLOCK_BYTES,
): Table {
  const parts: Buffer[] = []
  const index: (readonly [Buffer, Buffer])[] = []
  let at = 0
  const place = (body: Buffer) => {
    const raw = stored(body, compress)
    const handle = Buffer.concat([varint(at), varint(raw.length - 5)])
    parts.push(raw)
    at += raw.length
    return handle
  }
  let entries: (readonly [Buffer, Uint8Array])[] = []
  let bytes = 0
  const flush = () => {
    if (entries.length > 0) index.push([entries.at(-1)![0], place(block(entries))])
    entries = []
    bytes = 0
  }
  for (const { key, value } of writes) {
    const internal = internalKey(key, sequence, value !== undefined)
    entries.push([internal, value ?? Buffer.alloc(0)])
    bytes += internal.length + (value?.length ?? 0)
    if (bytes >= blockBytes) flush()
  }
  flush()
  const handles = Buffer.concat([place(block([])), place(block(index))])
  const footer = Buffer.concat([handles, Buffer.alloc(40 - handles.length), Buffer.alloc(8)])
  footer.writeBigUInt64LE(0xdb4775248b80fb57n, 40)
  return {
    data: Buffer.concat([...parts, footer]),
    smallest: internalKey(writes[0]!.key, sequence, true),
    largest: internalKey(writes.at(-1)!.key, sequence, true),
  }
}

function manifestFile(tables: readonly Table[], logNumber: number): Buffer {
  const edits = [
    Buffer.concat([varint(1), withLength(Buffer.from('leveldb.BytewiseComparator')), varint(2), varint(logNumber)]),
    ...tables.map(({ data, smallest, largest }, place) =>
      Buffer.concat([...[7, 1, 10 + place, data.length].map(varint), withLength(smallest), withLength(largest)]),
    ),
  ]
  return logFile(edits)
}

/** Writes a whole database: tables from number 10 on, one log with number 5. */
export function writeLevelDb(directory: string, tables: readonly Table[], log: readonly Uint8Array[]): void {
  mkdirSync(directory, { recursive: true })
  tables.forEach(({ data }, place) =>
    writeFileSync(join(directory, `${String(10 + place).padStart(6, '0')}.ldb`), data),
  )
  writeFileSync(join(directory, '000005.log'), logFile(log))
  writeFileSync(join(directory, 'MANIFEST-000002'), manifestFile(tables, 5))
  writeFileSync(join(directory, 'CURRENT'), 'MANIFEST-000002\n')
}
