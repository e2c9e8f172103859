import type { PullOrder } from '../../core/config/config.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { placesForPull, type FolderShare, type OrderableList } from '../../core/records/pull-order.ts'

const FILES_MIN = 256
const NAME_BYTES_USUAL = 64
/** Before and behind every name: it occurs in none. */
const SEPARATOR = '\0'
/** A part of the hash over the blocks that a number can hold. The move compares the whole hash. */
const CONTENT_KEY_BYTES = 6
const NO_CONTENT = -1

type ListedFile = Pick<FileHead, 'name' | 'sizeBytes' | 'modifiedS' | 'modifiedNs' | 'blocksHash'>

/**
 * The files to be pulled in one iteration. Without an object for each: a hundred thousand took 32 MB of the heap, which
 * V8 lets grow by a multiple of what is in use.
 */
export class PullList implements OrderableList {
  #names = Buffer.alloc(FILES_MIN * NAME_BYTES_USUAL)
  #namesBytes = this.#names.write(SEPARATOR)
  /** Where each name begins, and behind the last one where the next would. */
  #begins = new Uint32Array(FILES_MIN + 1).fill(this.#namesBytes, 0, 1)
  #sizes = new Float64Array(FILES_MIN)
  #seconds = new Float64Array(FILES_MIN)
  #nanoseconds = new Uint32Array(FILES_MIN)
  #contents = new Float64Array(FILES_MIN)
  #removed = new Uint8Array(FILES_MIN)
  #count = 0

  get count(): number {
    return this.#count
  }

  add({ name, sizeBytes, modifiedS, modifiedNs, blocksHash }: ListedFile): void {
    const place = this.#count++
    if (place === this.#sizes.length) this.#grow()
    this.#sizes[place] = sizeBytes
    this.#seconds[place] = modifiedS
    this.#nanoseconds[place] = modifiedNs
    this.#contents[place] = contentKey(blocksHash)
    const nameBytes = Buffer.byteLength(name)
    const end = this.#namesBytes + nameBytes + SEPARATOR.length
    if (end > this.#names.length) this.#names = Buffer.concat([this.#names], Math.max(2 * this.#names.length, end))
    this.#names.write(name, this.#namesBytes)
    this.#names.write(SEPARATOR, this.#namesBytes + nameBytes)
    this.#namesBytes = end
    this.#begins[place + 1] = end
  }

  name(place: number): string {
    return this.#names.toString('utf8', this.#begins[place], this.#begins[place + 1]! - SEPARATOR.length)
  }

  sizeBytes(place: number): number {
    return this.#sizes[place]!
  }

  modifiedS(place: number): number {
    return this.#seconds[place]!
  }

  modifiedNs(place: number): number {
    return this.#nanoseconds[place]!
  }

  /** The key of its content, as `contentKey` returns it. */
  content(place: number): number {
    return this.#contents[place]!
  }

  isRemoved(place: number): boolean {
    return this.#removed[place] === 1
  }

  /** It keeps its place. */
  remove(place: number): void {
    this.#removed[place] = 1
  }

  /** The place of a file that was not removed. */
  find(name: string): number | undefined {
    const end = this.#names.subarray(0, this.#namesBytes)
    const found = end.indexOf(`${SEPARATOR}${name}${SEPARATOR}`)
    if (found === -1) return undefined
    const place = this.#placeAt(found + SEPARATOR.length)
    return this.isRemoved(place) ? undefined : place
  }

  /** The places of all files, in pull order. */
  inOrder(order: PullOrder, chance: (below: number) => number, share: FolderShare): Uint32Array {
    return placesForPull(this, order, chance, share)
  }

  /** The name that begins there. */
  #placeAt(begin: number): number {
    let [low, high] = [0, this.#count - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#begins[middle]! < begin) low = middle + 1
      else high = middle
    }
    return low
  }

  #grow(): void {
    const length = 2 * this.#sizes.length
    this.#begins = copied(new Uint32Array(length + 1), this.#begins)
    this.#sizes = copied(new Float64Array(length), this.#sizes)
    this.#seconds = copied(new Float64Array(length), this.#seconds)
    this.#nanoseconds = copied(new Uint32Array(length), this.#nanoseconds)
    this.#contents = copied(new Float64Array(length), this.#contents)
    this.#removed = copied(new Uint8Array(length), this.#removed)
  }
}

/** Equal for equal contents; files without content have a key that no other has. */
export function contentKey(blocksHash: Uint8Array | undefined): number {
  if (blocksHash === undefined || blocksHash.length < CONTENT_KEY_BYTES) return NO_CONTENT
  return Buffer.from(blocksHash.buffer, blocksHash.byteOffset, CONTENT_KEY_BYTES).readUIntBE(0, CONTENT_KEY_BYTES)
}

function copied<T extends Uint8Array | Uint32Array | Float64Array>(into: T, from: T): T {
  into.set(from)
  return into
}
