import type { Disk, DiskFile } from '../../platform/disk.ts'
import { damaged } from '../sqlite/damage.ts'
import { FOOTER_BYTES, openBlock, readFooter, readIndex, readVersions, spanOf } from './table.ts'
import type { BlockEntry, Handle, Version } from './table.ts'
import { placeOf } from './write-log.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'

/** A range of one table is read at once. Tables have 2 to 16 MiB. */
const SPAN_BYTES_MAX = 256 * 1024 * 1024
const BLOCKS_CACHED_MAX = 16

/** Some versions in the order of their keys, of one key the newest first. */
export interface Cursor {
  /** Undefined at the end. */
  readonly current: Version | undefined
  next(): void
}

/** One open table. */
export class TableFile implements AsyncDisposable {
  readonly #file: DiskFile
  readonly #fileBytes: number
  readonly #blocks: readonly BlockEntry[]
  readonly #lastKeys: readonly string[]
  readonly #cached = new Map<number, readonly Version[]>()

  private constructor(file: DiskFile, fileBytes: number, blocks: readonly BlockEntry[]) {
    this.#file = file
    this.#fileBytes = fileBytes
    this.#blocks = blocks
    this.#lastKeys = blocks.map(({ lastKey }) => lastKey)
  }

  static async open(disk: Disk, path: string): Promise<TableFile> {
    const file = await disk.open(path, 'read')
    try {
      const { sizeBytes } = await file.stat()
      if (sizeBytes < FOOTER_BYTES) throw damaged('no table')
      const index = readFooter(await readSpan(file, sizeBytes - FOOTER_BYTES, sizeBytes))
      const { start, end } = spanOf(index, sizeBytes)
      return new TableFile(file, sizeBytes, readIndex(openBlock(await readSpan(file, start, end))))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }

  /** The newest version of a key. */
  async get(key: string): Promise<Version | undefined> {
    // The versions of one key may continue in the next block, the newest is in the first.
    const block = this.#blocks[placeOf(this.#lastKeys, key)]
    if (block === undefined) return undefined
    return (await this.#versions(block.handle)).find((version) => version.key === key)
  }

  async #versions(handle: Handle): Promise<readonly Version[]> {
    const cached = this.#cached.get(handle.offset)
    if (cached !== undefined) return cached
    const { start, end } = spanOf(handle, this.#fileBytes)
    const versions = readVersions(openBlock(await readSpan(this.#file, start, end)))
    if (this.#cached.size >= BLOCKS_CACHED_MAX) this.#cached.clear()
    this.#cached.set(handle.offset, versions)
    return versions
  }

  /** From `from` on, up to and without `to`. */
  async range(from: string, to: string): Promise<Cursor> {
    const first = placeOf(this.#lastKeys, from)
    const last = Math.min(placeOf(this.#lastKeys, to), this.#blocks.length - 1)
    const spans = this.#blocks.slice(first, last + 1).map(({ handle }) => spanOf(handle, this.#fileBytes))
    if (spans.length === 0) return new ListCursor([])
    const start = spans.reduce((least, span) => Math.min(least, span.start), Number.POSITIVE_INFINITY)
    const end = spans.reduce((most, span) => Math.max(most, span.end), 0)
    if (end - start > SPAN_BYTES_MAX) throw damaged(`a table of ${this.#fileBytes} bytes`)
    const raw = await readSpan(this.#file, start, end)
    return new BlockCursor(
      spans.map((span) => raw.subarray(span.start - start, span.end - start)),
      { from, to },
    )
  }
}

export async function readSpan(file: DiskFile, start: number, end: number): Promise<Buffer> {
  const data = Buffer.allocUnsafe(end - start)
  if ((await fillBuffer(file, data, start)) < data.length) throw damaged('a file that became shorter')
  return data
}

export class ListCursor implements Cursor {
  readonly #versions: readonly Version[]
  #place = 0

  constructor(versions: readonly Version[]) {
    this.#versions = versions
  }

  get current(): Version | undefined {
    return this.#versions[this.#place]
  }

  next(): void {
    this.#place++
  }
}

/** Decodes one block at a time. */
class BlockCursor implements Cursor {
  readonly #blocks: readonly Buffer[]
  readonly #range: { readonly from: string; readonly to: string }
  #block = 0
  #versions: readonly Version[] = []
  #place = -1

  constructor(blocks: readonly Buffer[], range: { readonly from: string; readonly to: string }) {
    this.#blocks = blocks
    this.#range = range
    do this.next()
    while (this.current !== undefined && this.current.key < range.from)
  }

  get current(): Version | undefined {
    const version = this.#versions[this.#place]
    return version === undefined || version.key >= this.#range.to ? undefined : version
  }

  next(): void {
    this.#place++
    while (this.#place >= this.#versions.length && this.#block < this.#blocks.length) {
      this.#versions = readVersions(openBlock(this.#blocks[this.#block++]!))
      this.#place = 0
    }
  }
}
