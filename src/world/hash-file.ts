import { hash } from 'node:crypto'
import { HASH_SIZE_BYTES } from '../core/blocks.ts'
import type { DiskStat } from './disk.ts'
import type { HashJob } from './hasher.ts'

export type HashStat = Pick<DiskStat, 'type' | 'sizeBytes' | 'modifiedS' | 'modifiedNs'> & {
  /** Moves with every change, also where size and time are put back; 0 where the system has no such thing. */
  readonly changeStamp: bigint
}

/** An open file, as far as hashing needs it. */
export interface HashSource {
  stat(): HashStat
  /** Bytes read; 0 at the end. */
  read(into: Uint8Array, positionBytes: number): number
}

/** A part of a file, from a block border to a block border or the end. */
export interface HashRange {
  readonly startBytes: number
  readonly endBytes: number
}

export const HASH_OK = 0
export const HASH_CHANGED = 1
export const HASH_FAILED = 2

/**
 * Writes the hashes of a range's blocks into `out` and returns the change stamp that the file had all the while.
 * Undefined when the file is not, before and after, exactly what the job says, or ends too early: then `out` holds
 * nothing of use. `buffer` must hold at least one block.
 */
export function hashRange(
  source: HashSource, job: HashJob, range: HashRange, buffer: Uint8Array, out: Uint8Array,
): bigint | undefined {
  const before = source.stat()
  if (!isAsExpected(before, job)) return undefined
  let written = 0
  for (let start = range.startBytes; start < range.endBytes || written === 0; ) {
    const wantedBytes = Math.min(buffer.length - (buffer.length % job.blockSizeBytes), range.endBytes - start)
    if (!fill(source, buffer.subarray(0, wantedBytes), start)) return undefined
    for (let at = 0; at < wantedBytes || written === 0; at += job.blockSizeBytes) {
      const block = buffer.subarray(at, Math.min(at + job.blockSizeBytes, wantedBytes))
      out.set(hash('sha256', block, 'buffer'), written)
      written += HASH_SIZE_BYTES
    }
    start += wantedBytes
  }
  const after = source.stat()
  return isAsExpected(after, job) && after.changeStamp === before.changeStamp ? after.changeStamp : undefined
}

function isAsExpected(stat: HashStat, job: HashJob): boolean {
  return stat.type === 'file' && stat.sizeBytes === job.sizeBytes
    && stat.modifiedS === job.modifiedS && stat.modifiedNs === job.modifiedNs
}

function fill(source: HashSource, into: Uint8Array, positionBytes: number): boolean {
  for (let done = 0; done < into.length; ) {
    const readBytes = source.read(into.subarray(done), positionBytes + done)
    if (readBytes === 0) return false
    done += readBytes
  }
  return true
}
