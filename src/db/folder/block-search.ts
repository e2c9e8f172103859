import { hash as digestOf } from 'node:crypto'
import { hashKey } from '../../core/records/block-diff.ts'
import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { BlockTable } from '../blocks/block-table.ts'
import type { FolderTable } from './folder-table.ts'

/** Limits of one step: a few milliseconds, then the event loop runs. */
const HASHES_AT_ONCE = 500
const FILES_AT_ONCE = 8
/**
 * Steps per query that bring the table up to date: half a second, and longer for many blocks. That suffices for folders
 * of some hundred thousand blocks; in a larger one the first queries use an incomplete table instead of waiting.
 */
const CATCH_UP_STEPS = 64
const CATCH_UP_STEPS_PER_HASH = 0.25

export interface BlockSearchOptions {
  /** Files to skip, because their content differs from the index. */
  readonly except: ReadonlySet<string>
  /** A number of files, not of blocks. */
  readonly limit: number
}

/**
 * One search for our files that hold certain blocks. It takes the latest file with the first block and all other wanted
 * blocks of that file, then the latest with the first block still missing, and so on: few files, mostly whole runs.
 */
export class BlockSearch {
  readonly found: FileInfo[] = []
  readonly #wanted: readonly Uint8Array[]
  readonly #missing: Set<string>
  readonly #options: BlockSearchOptions
  #stepsLeft: number
  #at = 0

  constructor(wanted: readonly Uint8Array[], options: BlockSearchOptions) {
    this.#wanted = wanted
    this.#missing = new Set(wanted.map(hashKey))
    this.#options = options
    this.#stepsLeft = CATCH_UP_STEPS + wanted.length * CATCH_UP_STEPS_PER_HASH
  }

  /** `prepare`: the table of files must be read first. */
  step({ files, blocks }: { readonly files: FolderTable; readonly blocks: BlockTable }): 'done' | 'more' | 'prepare' {
    if (!files.blocksPrepared) return 'prepare'
    if (this.#stepsLeft > 0) {
      const caughtUp = blocks.catchUp(files.state.holder('local')?.sequence ?? 0)
      this.#stepsLeft = caughtUp ? 0 : this.#stepsLeft - 1
      return 'more'
    }
    const end = this.#at + HASHES_AT_ONCE
    const enough = this.found.length + FILES_AT_ONCE
    for (; this.#at < this.#wanted.length; this.#at++) {
      if (this.found.length >= this.#options.limit) return 'done'
      if (this.#at >= end || this.found.length >= enough) return 'more'
      const hash = this.#wanted[this.#at]!
      // Each block is searched once, however often it is wanted.
      if (this.#missing.delete(hashKey(hash))) this.#search(hash, files, blocks)
    }
    return 'done'
  }

  #search(hash: Uint8Array, files: FolderTable, blocks: BlockTable): void {
    // A file of one block is found by the hash over its blocks alone.
    const single = files.candidates(digestOf('sha256', hash, 'buffer'))
    const sequences = [...new Set([...blocks.candidates(hash), ...single])].sort((a, b) => b - a)
    for (const sequence of sequences) {
      const info = files.bySequence(sequence)
      if (info === undefined || this.#options.except.has(info.name) || !this.#takes(info, hashKey(hash))) continue
      this.found.push(info)
      return
    }
  }

  /** Whether the file really has the block; then all its blocks are removed from the missing ones. */
  #takes({ deleted, blockHashes }: FileInfo, wanted: string): boolean {
    if (deleted || blockHashes === undefined) return false
    const keys = keysOf(blockHashes)
    if (!keys.includes(wanted)) return false
    for (const key of keys) this.#missing.delete(key)
    return true
  }
}

function keysOf(hashes: Uint8Array): readonly string[] {
  return Array.from({ length: hashes.length / HASH_SIZE_BYTES }, (_, i) => {
    return hashKey(hashes.subarray(i * HASH_SIZE_BYTES, (i + 1) * HASH_SIZE_BYTES))
  })
}
