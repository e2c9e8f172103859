import { HASH_SIZE_BYTES } from '../../../core/records/blocks.ts'
import { putHash, type PutHashes } from '../../files/hash-file.ts'
import { LANES } from './sha256-kernel.ts'
import { Sha256Lanes } from './sha256-lanes.ts'

/** One at a time this fast: the processor has instructions for SHA-256. Without, the fastest have 700 MB/s. */
const FAST_BYTES_PER_MS = 1_000_000
/** A measured block; smaller ones take as long as the calls around them. */
const MEASURED_BYTES_MIN = 64 * 1_024
/** Four larger ones take too much memory. */
const LANE_BLOCK_BYTES_MAX = 1_024 * 1_024
const MEASUREMENTS = 4
const CLOCK_STEP_MS = 0.001
const CHECKED_BYTES = 1_000
/** V8 begins with quickly made code and replaces it within this. */
const TRIAL_BYTES = 64 * 1_024 * 1_024
/** Less is within what differs from one measurement to the next. */
const GAIN_MIN = 1.1

export interface BlockHasherOptions {
  readonly nowMs?: () => number
  /** Throws where they are not to be had. */
  readonly lanes?: () => Pick<Sha256Lanes, 'put'>
}

/**
 * SHA-256 of blocks. A processor without instructions for it hashes four at a time, in the lanes of its vectors, up to
 * one and a half times as fast as one after the other. Which is faster here is measured with the blocks themselves
 * (decision 027).
 */
export class BlockHasher {
  readonly #nowMs: () => number
  readonly #makeLanes: () => Pick<Sha256Lanes, 'put'>
  #lanes: Pick<Sha256Lanes, 'put'> | undefined
  #isDecided = false
  #measurements = 0
  #triedBytes = 0
  /** The highest rates so far, in bytes per millisecond: other work only makes it slower. */
  #singleRate = 0
  #lanesRate = 0

  constructor({ nowMs = () => performance.now(), lanes = () => new Sha256Lanes() }: BlockHasherOptions = {}) {
    this.#nowMs = nowMs
    this.#makeLanes = lanes
  }

  /** So many blocks of one size are worth being given together. */
  get atOnce(): number {
    return this.#lanes === undefined ? 1 : LANES
  }

  readonly put: PutHashes = (blocks, out, at) => {
    for (let done = 0; done < blocks.length;) done += this.#putNext(blocks, done, out, at + done * HASH_SIZE_BYTES)
  }

  /** Returns the number of hashes. */
  #putNext(blocks: readonly Uint8Array[], done: number, out: Uint8Array, at: number): number {
    const lanes = areEqualInSize(blocks, done) ? this.#lanes : undefined
    const count = lanes === undefined ? 1 : LANES
    const sizeBytes = blocks[done]!.length
    const isMeasured = !this.#isDecided && sizeBytes >= MEASURED_BYTES_MIN
    const startedMs = isMeasured ? this.#nowMs() : 0
    if (lanes === undefined) putHash(blocks[done]!, out, at)
    else lanes.put(blocks.slice(done, done + LANES), out, at)
    if (isMeasured) this.#measure(count, sizeBytes * count, this.#nowMs() - startedMs)
    return count
  }

  #measure(count: number, bytes: number, elapsedMs: number): void {
    const rate = bytes / Math.max(elapsedMs, CLOCK_STEP_MS)
    if (count > 1) return this.#measureLanes(bytes, rate)
    this.#singleRate = Math.max(this.#singleRate, rate)
    this.#measurements++
    if (this.#measurements < MEASUREMENTS || this.#lanes !== undefined) return
    this.#isDecided = this.#singleRate >= FAST_BYTES_PER_MS
    if (this.#isDecided) return
    try {
      this.#lanes = checked(this.#makeLanes())
    } catch {
      this.#isDecided = true
    }
  }

  #measureLanes(bytes: number, rate: number): void {
    this.#lanesRate = Math.max(this.#lanesRate, rate)
    this.#triedBytes += bytes
    if (this.#triedBytes < TRIAL_BYTES) return
    this.#isDecided = true
    if (this.#lanesRate < this.#singleRate * GAIN_MIN) this.#lanes = undefined
  }
}

/** Throws if they make other hashes than OpenSSL here: an index of wrong hashes would be worse than a slow scan. */
function checked(lanes: Pick<Sha256Lanes, 'put'>): Pick<Sha256Lanes, 'put'> {
  const messages = Array.from({ length: LANES }, (_, lane) => new Uint8Array(CHECKED_BYTES).fill(lane + 1))
  const found = Buffer.alloc(LANES * HASH_SIZE_BYTES)
  const expected = Buffer.alloc(found.length)
  lanes.put(messages, found, 0)
  messages.forEach((message, lane) => putHash(message, expected, lane * HASH_SIZE_BYTES))
  if (!found.equals(expected)) throw new Error('other hashes')
  return lanes
}

/** Whether blocks of this size can be hashed together. */
export function isForLanes(sizeBytes: number): boolean {
  return sizeBytes >= MEASURED_BYTES_MIN && sizeBytes <= LANE_BLOCK_BYTES_MAX
}

function areEqualInSize(blocks: readonly Uint8Array[], from: number): boolean {
  const sizeBytes = blocks[from]!.length
  for (let at = from + 1; at < from + LANES; at++) if (blocks[at]?.length !== sizeBytes) return false
  return isForLanes(sizeBytes)
}
