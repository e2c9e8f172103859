import { read, readSync, write, writeSync } from 'node:fs'
import { HASH_SIZE_BYTES } from '../../../core/records/blocks.ts'
import { messageOf, systemCode } from '../../../core/errors.ts'
import { hasHash, type CheckedBlock, type FileOutcome } from '../../file-maker.ts'
import type { BlockHasher } from '../hashing/block-hasher.ts'
import { BlockGroups } from './block-groups.ts'
import { HashBuffer } from './hash-task.ts'
import { isWholePages, pageMemory } from '../disk/page-memory.ts'

/** A block in shared memory, and a file that the caller keeps open. */
export interface NumberedBlock extends CheckedBlock {
  readonly number: number
  readonly descriptor: number
  /** Descriptor that bypasses the page cache; undefined: not for this block. */
  readonly direct: number | undefined
}

/** Blocks to copy between files, in flat arrays; the caller keeps both files open. */
export interface NumberedCopy {
  readonly number: number
  readonly fromDescriptor: number
  readonly descriptor: number
  /** Descriptors that bypass the page cache, for suitable blocks. */
  readonly fromDirect: number | undefined
  readonly direct: number | undefined
  readonly froms: Float64Array
  readonly positions: Float64Array
  readonly sizes: Float64Array
  /** Concatenated. */
  readonly hashes: Uint8Array
}

/** For every block whether its hash matched and it was written. */
export interface CopyOutcome {
  readonly kind: 'copied'
  readonly blocks: readonly boolean[]
}

export type BlockOutcome = Exclude<FileOutcome, { kind: 'made' }> | { readonly kind: 'written' }

/** Concurrent disk calls; the threads of libuv serve other callers too. */
const WRITES_AT_ONCE = 4

type Hasher = Pick<BlockHasher, 'atOnce' | 'put'>
type Report = (order: { readonly number: number }, outcome: BlockOutcome | CopyOutcome) => void

/** Checks and writes blocks in a thread. During direct writes the next blocks are hashed. */
export class BlockWriting {
  readonly #report: Report
  readonly #hasher: Hasher
  readonly #groups: BlockGroups<NumberedBlock>
  /** One per concurrent copy. */
  readonly #buffers: HashBuffer[] = []
  #writing = 0

  constructor(report: Report, hasher: Hasher) {
    this.#report = report
    this.#hasher = hasher
    this.#groups = new BlockGroups({ hasher, onReady: () => this.#proceed() })
  }

  write(block: NumberedBlock): void {
    this.#groups.add(block)
    this.#proceed()
  }

  /** During disk access of one copy, a block of another is hashed. */
  copy(copy: NumberedCopy): void {
    const buffer = this.#buffers.pop() ?? new HashBuffer(pageMemory)
    const settle = (outcome: BlockOutcome | CopyOutcome): void => {
      this.#buffers.push(buffer)
      this.#report(copy, outcome)
    }
    copyBlocks(copy, buffer).then(
      (blocks) => settle({ kind: 'copied', blocks }),
      (error: unknown) => settle(failedOutcome(error)),
    )
  }

  #proceed(): void {
    while (this.#writing < WRITES_AT_ONCE) {
      const group = this.#groups.next()
      if (group === undefined) return
      this.#beginAll(group)
    }
  }

  #beginAll(group: readonly NumberedBlock[]): void {
    const hashes = Buffer.allocUnsafe(group.length * HASH_SIZE_BYTES)
    this.#hasher.put(
      group.map(({ data }) => data),
      hashes,
      0,
    )
    group.forEach((block, at) => {
      const found = hashes.subarray(at * HASH_SIZE_BYTES, (at + 1) * HASH_SIZE_BYTES)
      if (found.equals(block.hash)) this.#begin(block)
      else this.#report(block, { kind: 'different' })
    })
  }

  #begin(block: NumberedBlock): void {
    const { direct, data, positionBytes } = block
    if (direct === undefined) return this.#report(block, written(block, 0))
    this.#writing++
    const settle = (outcome: BlockOutcome): void => {
      this.#writing--
      this.#report(block, outcome)
      this.#proceed()
    }
    writeSome(direct, data, positionBytes).then(
      (doneBytes) => settle(written(block, doneBytes)),
      (error: unknown) => settle(failedOutcome(error)),
    )
  }
}

/** Writes the rest of a block. */
function written({ descriptor, data, positionBytes }: NumberedBlock, doneBytes: number): BlockOutcome {
  try {
    writeAll(descriptor, data.subarray(doneBytes), positionBytes + doneBytes)
    return { kind: 'written' }
  } catch (error) {
    return failedOutcome(error)
  }
}

async function copyBlocks(copy: NumberedCopy, buffer: HashBuffer): Promise<readonly boolean[]> {
  const blocks: boolean[] = []
  for (let at = 0; at < copy.sizes.length; at++) {
    const data = buffer.for(copy.sizes[at]!).subarray(0, copy.sizes[at]!)
    const hash = copy.hashes.subarray(at * HASH_SIZE_BYTES, (at + 1) * HASH_SIZE_BYTES)
    const positionBytes = copy.positions[at]!
    const fromBytes = copy.froms[at]!
    const readBytes = isWholePages(data, fromBytes) ? await readSome(copy.fromDirect, data, fromBytes) : 0
    const isThere = isRead(copy.fromDescriptor, data, fromBytes, readBytes) && hasHash({ data, hash })
    blocks.push(isThere)
    if (!isThere) continue
    const doneBytes = isWholePages(data, positionBytes) ? await writeSome(copy.direct, data, positionBytes) : 0
    writeAll(copy.descriptor, data.subarray(doneBytes), positionBytes + doneBytes)
  }
  return blocks
}

/** Reads asynchronously; returns the number of bytes. */
async function readSome(direct: number | undefined, into: Uint8Array, positionBytes: number): Promise<number> {
  if (direct === undefined) return 0
  const { promise, resolve } = Promise.withResolvers<number>()
  read(direct, into, 0, into.length, positionBytes, (error, count) => resolve(error === null ? count : 0))
  return promise
}

/** Writes asynchronously; returns the number of bytes. The rest is written synchronously, or fails there. */
async function writeSome(direct: number | undefined, data: Uint8Array, positionBytes: number): Promise<number> {
  if (direct === undefined) return 0
  const { promise, resolve } = Promise.withResolvers<number>()
  write(direct, data, 0, data.length, positionBytes, (error, count) => resolve(error === null ? count : 0))
  return promise
}

/** Unreadable blocks do not match. */
function isRead(descriptor: number, into: Uint8Array, positionBytes: number, doneBytes: number): boolean {
  try {
    for (let done = doneBytes; done < into.length;) {
      const count = readSync(descriptor, into, done, into.length - done, positionBytes + done)
      if (count === 0) return false
      done += count
    }
    return true
  } catch {
    return false
  }
}

export function writeAll(descriptor: number, data: Uint8Array, positionBytes: number): void {
  for (let done = 0; done < data.length;) {
    done += writeSync(descriptor, data, done, data.length - done, positionBytes + done)
  }
}

export function failedOutcome(error: unknown): Extract<FileOutcome, { kind: 'failed' }> {
  return { kind: 'failed', code: systemCode(error), message: messageOf(error) }
}
