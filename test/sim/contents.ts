import { hash } from 'node:crypto'
import type { SimItem } from '../../src/platform/sim/direct-access.ts'
import type { SimRandom } from '../../src/platform/sim/random.ts'

/** Every content has a distinct size, so that a disk with coarse times shows every edit. */
const SIZE_STEP = 1_000
const SMALL_STEPS_MAX = 4
const LARGE_STEPS = 140
const LARGE_STEPS_MAX = 300
export const BLOCK_BYTES = 128 * 1024
/** Of a large file. */
export const BLOCKS = 4

/** The number of the content of a file, or a text for other types. */
export type ItemIdentity = number | string

/**
 * Every content that a user wrote, each different from all others. A file with any other content is the result of a
 * fault.
 */
export class Contents {
  readonly #random: SimRandom
  readonly #byDigest = new Map<string, number>()
  readonly #bytes: Uint8Array[] = []
  /** Contents that a user knowingly replaced or removed. */
  readonly released = new Set<number>()

  constructor(random: SimRandom) {
    this.#random = random
    this.#keep(new Uint8Array()) // the empty file is number 0 and no user content
  }

  /** The content is on a disk and must not be lost any more. */
  written(content: Uint8Array): void {
    const number = this.identify(content)
    if (number !== undefined && number > 0) this.released.delete(number)
  }

  /** A new content; sometimes a large one, or a modified old one. */
  make(like: number | undefined): Uint8Array {
    const number = this.#bytes.length
    const old = like === undefined ? undefined : this.#bytes[like]
    const steps = this.#random.chance(0.2)
      ? LARGE_STEPS + this.#random.int(LARGE_STEPS_MAX - LARGE_STEPS)
      : 1 + this.#random.int(SMALL_STEPS_MAX)
    const keepsOld = old !== undefined && old.length > 0 && this.#random.chance(0.7)
    const base = keepsOld ? Math.floor(old.length / SIZE_STEP) : steps
    const content = new Uint8Array(base * SIZE_STEP + (number % SIZE_STEP))
    content.fill(0x61 + (number % 26))
    if (keepsOld) content.set(old.subarray(0, content.length))
    const mark = new TextEncoder().encode(`<${number}>`)
    content.set(mark, keepsOld ? this.#random.int(content.length - mark.length + 1) : 0)
    return this.#keep(content)
  }

  /** Some blocks, each different; or the blocks of `like` with one of zeros, as where a file got a hole. */
  makeBlocks(like: number | undefined): Uint8Array {
    const number = this.#bytes.length
    const content = new Uint8Array(BLOCKS * BLOCK_BYTES + (number % SIZE_STEP))
    for (let block = 0; block < BLOCKS; block++)
      content.fill(0x61 + ((number + block) % 26), block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
    const old = like === undefined ? undefined : this.#bytes[like]
    if (old !== undefined) content.set(old.subarray(0, content.length))
    const hole = this.#random.int(BLOCKS)
    const marked = (hole + 1 + this.#random.int(BLOCKS - 1)) % BLOCKS
    if (old !== undefined) content.fill(0, hole * BLOCK_BYTES, (hole + 1) * BLOCK_BYTES)
    content.set(new TextEncoder().encode(`<${number}>`), marked * BLOCK_BYTES)
    return this.#keep(content)
  }

  /** Which content this is; undefined for one that no user wrote. */
  identify(content: Uint8Array): number | undefined {
    return this.#byDigest.get(digestOf(content))
  }

  /** Type and content of an item, without mode and time. */
  identityOf(item: SimItem): ItemIdentity {
    if (item.type === 'file') return this.identify(item.content) ?? 'unknown'
    return item.type === 'symlink' ? `symlink to ${item.target}` : item.type
  }

  get count(): number {
    return this.#bytes.length
  }

  #keep(content: Uint8Array): Uint8Array {
    this.#byDigest.set(digestOf(content), this.#bytes.length)
    this.released.add(this.#bytes.length)
    this.#bytes.push(content)
    return content
  }
}

function digestOf(content: Uint8Array): string {
  return hash('sha256', content, 'hex')
}
