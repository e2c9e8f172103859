import { HASH_SIZE_BYTES } from '../../../core/records/blocks.ts'
import {
  CHUNK_BYTES,
  DATA_OFFSET,
  INITIAL_STATE,
  LANE_BYTES,
  LANES,
  sha256Kernel,
  STATE_WORDS,
} from './sha256-kernel.ts'

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Updates the states with so many chunks of each lane, from a position in its room on. */
  run(position: number, chunks: number): void
}

/** The used subset: the types of WebAssembly belong to those of a browser. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Kernel }
}

/** A length in bits takes eight bytes, and one bit separates it from the message. */
const ENDING_BYTES_MIN = 9

/** SHA-256 of four messages of equal length at a time. */
export class Sha256Lanes {
  readonly #kernel: Kernel
  readonly #bytes: Uint8Array
  readonly #words: DataView

  /** Throws where the system has no WebAssembly, or not its vectors. */
  constructor() {
    this.#kernel = new WebAssembly.Instance(new WebAssembly.Module(sha256Kernel())).exports
    const { buffer } = this.#kernel.memory
    this.#bytes = new Uint8Array(buffer)
    this.#words = new DataView(buffer)
  }

  /** Writes the hashes of four messages into `out`, one after the other. */
  put(messages: readonly Uint8Array[], out: Uint8Array, at: number): void {
    const sizeBytes = messages[0]?.length ?? 0
    for (let word = 0; word < STATE_WORDS; word++)
      for (let lane = 0; lane < LANES; lane++) this.#words.setUint32(placeOf(word, lane), INITIAL_STATE[word]!, true)
    for (let start = 0; start < sizeBytes - (sizeBytes % CHUNK_BYTES); start += LANE_BYTES) {
      const end = Math.min(start + LANE_BYTES, sizeBytes - (sizeBytes % CHUNK_BYTES))
      this.#fill(messages, start, end)
      this.#kernel.run(0, (end - start) / CHUNK_BYTES)
    }
    this.#kernel.run(0, this.#end(messages, sizeBytes))
    for (let lane = 0; lane < LANES; lane++)
      for (let word = 0; word < STATE_WORDS; word++) {
        const value = this.#words.getUint32(placeOf(word, lane), true)
        const first = at + lane * HASH_SIZE_BYTES + word * 4
        out[first] = value >>> 24
        out[first + 1] = value >>> 16
        out[first + 2] = value >>> 8
        out[first + 3] = value
      }
  }

  #fill(messages: readonly Uint8Array[], start: number, end: number): void {
    for (let lane = 0; lane < LANES; lane++)
      this.#bytes.set(messages[lane]!.subarray(start, end), DATA_OFFSET + lane * LANE_BYTES)
  }

  /** The rest of each message, the bit that ends it and its length; returns the number of chunks. */
  #end(messages: readonly Uint8Array[], sizeBytes: number): number {
    const restBytes = sizeBytes % CHUNK_BYTES
    const endBytes = Math.ceil((restBytes + ENDING_BYTES_MIN) / CHUNK_BYTES) * CHUNK_BYTES
    this.#fill(messages, sizeBytes - restBytes, sizeBytes)
    for (let lane = 0; lane < LANES; lane++) {
      const room = DATA_OFFSET + lane * LANE_BYTES
      this.#bytes.fill(0, room + restBytes, room + endBytes)
      this.#bytes[room + restBytes] = 0x80
      this.#words.setBigUint64(room + endBytes - 8, BigInt(sizeBytes) * 8n)
    }
    return endBytes / CHUNK_BYTES
  }
}

function placeOf(word: number, lane: number): number {
  return (word * LANES + lane) * 4
}
