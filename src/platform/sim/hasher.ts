import { blockCount, blocksHashOf, HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { messageOf, systemCode } from '../../core/errors.ts'
import type { DiskStat } from '../disk.ts'
import { hashRange, type HashSource, type HashStat } from '../files/hash-file.ts'
import type { Hasher, HashJob, HashResult } from '../hasher.ts'
import type { SimDisk } from './disk.ts'

/** Hashes files of the simulated disk, one after the other. */
export class SimHasher implements Hasher {
  readonly #disk: SimDisk
  /** Each file is hashed without a pause, so that one buffer serves all. */
  #buffer = new Uint8Array()

  constructor(disk: SimDisk) {
    this.#disk = disk
  }

  async hash(
    jobs: readonly HashJob[],
    onBytes: (count: number) => void,
    signal: AbortSignal,
  ): Promise<readonly HashResult[]> {
    const results: HashResult[] = []
    for (const job of jobs) {
      signal.throwIfAborted()
      results.push(this.#hashOne(job))
      onBytes(job.sizeBytes)
      await Promise.resolve() // other tasks run, and may change the next file
    }
    signal.throwIfAborted()
    return results
  }

  #hashOne(job: HashJob): HashResult {
    const disk = this.#disk.sync
    const source: HashSource = {
      stat: () => withStamp(disk.lstat(job.path)),
      read: (into, positionBytes) => disk.read(job.path, into, positionBytes),
    }
    const blockHashes = new Uint8Array(blockCount(job.sizeBytes, job.blockSizeBytes) * HASH_SIZE_BYTES)
    if (this.#buffer.length < job.blockSizeBytes) this.#buffer = new Uint8Array(job.blockSizeBytes)
    try {
      const wholeFile = { startBytes: 0, endBytes: job.sizeBytes }
      if (hashRange(source, job, wholeFile, { buffer: this.#buffer }, blockHashes) === undefined)
        return { kind: 'changed' }
      return { kind: 'hashed', blockHashes, blocksHash: blocksHashOf(blockHashes) }
    } catch (error) {
      return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
    }
  }
}

function withStamp(stat: DiskStat): HashStat {
  return { ...stat, changeStamp: stat.changeStamp ?? 0 }
}
