import { hash } from 'node:crypto'
import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { DiskStat } from '../disk.ts'
import type { HashJob } from '../hasher.ts'

export type HashStat = Pick<DiskStat, 'type' | 'sizeBytes' | 'modifiedS' | 'modifiedNs'> & {
  /** As in `DiskStat`; 0 where the system has none. */
  readonly changeStamp: number
}

/** An open file, as far as hashing needs it. */
export interface HashSource {
  stat(): HashStat
  /** Bytes read; 0 at the end. */
  read(into: Uint8Array, positionBytes: number): number
}

/** A part of a file, from one block boundary to another or the end. */
export interface HashRange {
  readonly startBytes: number
  readonly endBytes: number
}

/** Writes the SHA-256 of each of these blocks into `out`, one after the other. */
export type PutHashes = (blocks: readonly Uint8Array[], out: Uint8Array, at: number) => void

export interface HashMeans {
  /** Holds at least one block. */
  readonly buffer: Uint8Array
  /** One at a time if undefined. */
  readonly put?: PutHashes | undefined
}

export const HASH_OK = 0
export const HASH_CHANGED = 1
export const HASH_FAILED = 2

/**
 * Writes the hashes of a range's blocks into `out` and returns the change stamp that the file had throughout. Undefined
 * when the file does not match the job, before and after, or ends too early: then `out` is undefined too.
 *
 * For a small file the stat of the walk is the one before: one stat after reading detects any change since.
 */
export function hashRange(
  source: HashSource,
  job: HashJob,
  range: HashRange,
  means: HashMeans,
  out: Uint8Array,
): number | undefined {
  const isLong = range.endBytes - range.startBytes > means.buffer.length
  if (job.changeStamp !== undefined && !isLong) {
    const stamp = hashOnce(source, job, range, means, out)
    // Another stamp may mean only a new mode or hard link. Read again, with a stat before.
    if (stamp === undefined || stamp === job.changeStamp) return stamp
  }
  const before = source.stat()
  if (!isAsExpected(before, job)) return undefined
  return hashOnce(source, job, range, means, out) === before.changeStamp ? before.changeStamp : undefined
}

/** Returns the change stamp the file has after reading; undefined when it does not match the job. */
function hashOnce(
  source: HashSource,
  job: HashJob,
  range: HashRange,
  means: HashMeans,
  out: Uint8Array,
): number | undefined {
  try {
    if (!hashBlocks(source, job.blockSizeBytes, range, means, out)) return undefined
  } catch (error) {
    // A directory or a pipe in its place cannot be read at a position.
    if (!isAsExpected(source.stat(), job)) return undefined
    throw error
  }
  const after = source.stat()
  return isAsExpected(after, job) ? after.changeStamp : undefined
}

function hashBlocks(
  source: HashSource,
  blockSizeBytes: number,
  range: HashRange,
  means: HashMeans,
  out: Uint8Array,
): boolean {
  const { buffer, put = putHashes } = means
  let written = 0
  for (let start = range.startBytes; start < range.endBytes || written === 0;) {
    const chunkBytes = Math.min(buffer.length - (buffer.length % blockSizeBytes), range.endBytes - start)
    const chunk = buffer.subarray(0, chunkBytes)
    if (!fill(source, chunk, start)) return false
    const blocks = [chunkBytes <= blockSizeBytes ? chunk : chunk.subarray(0, blockSizeBytes)]
    for (let at = blockSizeBytes; at < chunkBytes; at += blockSizeBytes)
      blocks.push(chunk.subarray(at, at + blockSizeBytes))
    put(blocks, out, written)
    written += blocks.length * HASH_SIZE_BYTES
    start += chunkBytes
  }
  return true
}

const putHashes: PutHashes = (blocks, out, at) => {
  for (let number = 0; number < blocks.length; number++) putHash(blocks[number]!, out, at + number * HASH_SIZE_BYTES)
}

/** Writes the SHA-256 of `bytes` at a place. As a string: creating buffers takes three times as long. */
export function putHash(bytes: Uint8Array, out: Uint8Array, at: number): void {
  const text = hash('sha256', bytes, 'binary')
  for (let i = 0; i < HASH_SIZE_BYTES; i++) out[at + i] = text.charCodeAt(i)
}

function isAsExpected(stat: HashStat, job: HashJob): boolean {
  return (
    stat.type === 'file' &&
    stat.sizeBytes === job.sizeBytes &&
    stat.modifiedS === job.modifiedS &&
    stat.modifiedNs === job.modifiedNs
  )
}

function fill(source: HashSource, into: Uint8Array, positionBytes: number): boolean {
  for (let done = 0; done < into.length;) {
    const readBytes = source.read(done === 0 ? into : into.subarray(done), positionBytes + done)
    if (readBytes === 0) return false
    done += readBytes
  }
  return true
}
