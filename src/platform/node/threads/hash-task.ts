import { blockCount, blocksHashOf, HASH_SIZE_BYTES } from '../../../core/records/blocks.ts'
import { messageOf, systemCode } from '../../../core/errors.ts'
import { HASH_CHANGED, HASH_FAILED, HASH_OK, hashRange, putHash } from '../../files/hash-file.ts'
import type { HashMeans, HashRange } from '../../files/hash-file.ts'
import type { HashJob, HashResult } from '../../hasher.ts'
import { openHashSource } from '../disk/hash-source.ts'
import { isForLanes, type BlockHasher } from '../hashing/block-hasher.ts'

/** Parts of files as posted to a thread: one string and flat arrays. */
export interface HashTask {
  readonly kind: 'hash'
  readonly id: number
  /** Joined by NUL, which no path contains. */
  readonly paths: string
  readonly sizes: Float64Array
  readonly seconds: Float64Array
  readonly nanoseconds: Uint32Array
  /** Not a number where there is none. */
  readonly stamps: Float64Array
  readonly blockSizes: Uint32Array
  readonly starts: Float64Array
  readonly ends: Float64Array
}

export interface HashReport {
  readonly kind: 'hash'
  readonly id: number
  readonly codes: Uint8Array
  /** The change stamp each file had while its part was hashed. */
  readonly stamps: Float64Array
  /** For each part its block hashes and then their common hash; parts that failed leave a gap. */
  readonly hashes: Uint8Array
  readonly errors: readonly { readonly at: number; readonly code: string | undefined; readonly message: string }[]
}

/** A whole file, or a range of one. Whole files are the jobs themselves, without a second object for each. */
export type HashPart = HashJob & Partial<HashRange>

const READ_BYTES_MIN = 1024 * 1024

/** Grows to the largest block and is reused for every file: reading allocates nothing. */
export class HashBuffer {
  readonly #allocate: (sizeBytes: number) => Uint8Array
  #bytes: Uint8Array = new Uint8Array(0)

  constructor(allocate: (sizeBytes: number) => Uint8Array = (sizeBytes) => new Uint8Array(sizeBytes)) {
    this.#allocate = allocate
  }

  /** At least one block; as many as given where they can be hashed together. */
  for(blockSizeBytes: number, blocks = 1): Uint8Array {
    const sizeBytes = isForLanes(blockSizeBytes) ? blockSizeBytes * blocks : blockSizeBytes
    if (this.#bytes.length < sizeBytes) {
      this.release()
      this.#bytes = this.#allocate(Math.max(sizeBytes, READ_BYTES_MIN))
    }
    return this.#bytes
  }

  /** Frees the memory at once: a thread that only reads afterwards collects no garbage for minutes. */
  release(): void {
    const { buffer } = this.#bytes
    this.#bytes = new Uint8Array(0)
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  }
}

export function packTask(id: number, parts: readonly HashPart[]): HashTask {
  const count = parts.length
  const task = {
    kind: 'hash' as const,
    id,
    paths: '',
    sizes: new Float64Array(count),
    seconds: new Float64Array(count),
    nanoseconds: new Uint32Array(count),
    stamps: new Float64Array(count),
    blockSizes: new Uint32Array(count),
    starts: new Float64Array(count),
    ends: new Float64Array(count),
  }
  const paths: string[] = []
  for (let i = 0; i < count; i++) {
    const part = parts[i]!
    paths.push(part.path)
    task.sizes[i] = part.sizeBytes
    task.seconds[i] = part.modifiedS
    task.nanoseconds[i] = part.modifiedNs
    task.stamps[i] = part.changeStamp ?? Number.NaN
    task.blockSizes[i] = part.blockSizeBytes
    task.starts[i] = part.startBytes ?? 0
    task.ends[i] = part.endBytes ?? part.sizeBytes
  }
  task.paths = paths.join('\0')
  return task
}

/** Runs in the thread. Never throws: the error of a file is its result. Without a hasher, one block at a time. */
export function runTask(task: HashTask, buffer: HashBuffer, hasher?: BlockHasher): HashReport {
  const parts = unpackTask(task)
  const codes = new Uint8Array(parts.length)
  const stamps = new Float64Array(parts.length)
  const hashes = new Uint8Array(parts.reduce((sum, part) => sum + roomFor(part), 0))
  const errors: HashReport['errors'][number][] = []
  let offset = 0
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!
    const room = hashes.subarray(offset, offset + roomFor(part))
    offset += room.length
    try {
      const stamp = hashPart(part, { buffer: buffer.for(part.blockSizeBytes, hasher?.atOnce), put: hasher?.put }, room)
      codes[at] = stamp === undefined ? HASH_CHANGED : HASH_OK
      stamps[at] = stamp ?? 0
    } catch (error) {
      codes[at] = HASH_FAILED
      errors.push({ at, code: systemCode(error), message: messageOf(error) })
    }
  }
  return { kind: 'hash', id: task.id, codes, stamps, hashes, errors }
}

export function unpackReport(report: HashReport, parts: readonly HashPart[]): HashResult[] {
  const failures = new Map(report.errors.map((error) => [error.at, error]))
  // A Buffer, so that its parts are Buffers, which convert to text without a copy.
  const hashes = Buffer.from(report.hashes.buffer, report.hashes.byteOffset, report.hashes.length)
  let offset = 0
  return parts.map((part, at): HashResult => {
    const end = offset + roomFor(part)
    const start = offset
    offset = end
    switch (report.codes[at]) {
      case HASH_OK: {
        const middle = end - HASH_SIZE_BYTES
        return { kind: 'hashed', blockHashes: hashes.subarray(start, middle), blocksHash: hashes.subarray(middle, end) }
      }
      case HASH_CHANGED:
        return { kind: 'changed' }
      default:
        return { kind: 'failed', code: failures.get(at)?.code, message: failures.get(at)?.message ?? 'unknown' }
    }
  })
}

/** The result of one range of a file, and the change stamp the file had. */
export interface RangeResult {
  readonly result: HashResult
  readonly stamp: number
}

/**
 * The result of a whole file from those of its ranges, in order. Each range saw the file unchanged before and after;
 * equal stamps mean no change between two ranges either, not even with size and time restored.
 */
export function joinRanges(ranges: readonly RangeResult[]): HashResult {
  const parts: Uint8Array[] = []
  for (const { result, stamp } of ranges) {
    if (result.kind !== 'hashed') return result
    if (stamp !== ranges[0]?.stamp) return { kind: 'changed' }
    parts.push(result.blockHashes)
  }
  const blockHashes = Buffer.concat(parts)
  return { kind: 'hashed', blockHashes, blocksHash: blocksHashOf(blockHashes) }
}

function hashPart(part: HashJob & HashRange, means: HashMeans, room: Uint8Array): number | undefined {
  const source = openHashSource(part.path)
  try {
    // not `using`: it takes as long as the call that closes the file
    const blocksBytes = room.length - HASH_SIZE_BYTES
    const stamp = hashRange(source, part, part, means, room)
    if (stamp !== undefined) putHash(room.subarray(0, blocksBytes), room, blocksBytes)
    return stamp
  } finally {
    source[Symbol.dispose]()
  }
}

export function bytesOf({ sizeBytes, startBytes = 0, endBytes = sizeBytes }: HashPart): number {
  return endBytes - startBytes
}

function roomFor(part: HashPart): number {
  return (blockCount(bytesOf(part), part.blockSizeBytes) + 1) * HASH_SIZE_BYTES
}

function unpackTask(task: HashTask): (HashJob & HashRange)[] {
  const paths = task.paths.split('\0')
  return paths.map((path, i) => ({
    path,
    sizeBytes: task.sizes[i]!,
    modifiedS: task.seconds[i]!,
    modifiedNs: task.nanoseconds[i]!,
    changeStamp: Number.isNaN(task.stamps[i]!) ? undefined : task.stamps[i]!,
    blockSizeBytes: task.blockSizes[i]!,
    startBytes: task.starts[i]!,
    endBytes: task.ends[i]!,
  }))
}
