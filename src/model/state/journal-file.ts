import { basename } from 'node:path'
import { isMissing } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import { Mutex } from '../../sync/mutex.ts'

const PRIVATE = 0o600
const SIZE_BYTES_MAX = 16 * 1_024 * 1_024

/** The text of a journal, both ways. */
export interface JournalFormat<Entry> {
  parse(text: string): readonly Entry[]
  text(entries: readonly Entry[]): string
}

/**
 * One entry per folder, in a file of the home. Not in the database, which a power loss may set back by some
 * transactions: a directory that was renamed would be missing at its old place, and nothing would say why.
 */
export class JournalFile<Entry extends { readonly folder: FolderId }> {
  readonly #disk: Disk
  readonly #path: string
  readonly #format: JournalFormat<Entry>
  readonly #writing = new Mutex()
  #entries: ReadonlyMap<FolderId, Entry> = new Map()

  constructor(disk: Disk, path: string, format: JournalFormat<Entry>) {
    this.#disk = disk
    this.#path = path
    this.#format = format
  }

  get all(): readonly Entry[] {
    return [...this.#entries.values()]
  }

  get(folder: FolderId): Entry | undefined {
    return this.#entries.get(folder)
  }

  async load(): Promise<void> {
    const entries = this.#format.parse(await this.#read())
    this.#entries = new Map(entries.map((entry) => [entry.folder, entry]))
  }

  /** Resolves when the entry is durable. */
  async put(entry: Entry): Promise<void> {
    await this.#write((entries) => entries.set(entry.folder, entry))
  }

  async delete(folder: FolderId): Promise<void> {
    if (this.#entries.has(folder)) await this.#write((entries) => entries.delete(folder))
  }

  async #write(change: (entries: Map<FolderId, Entry>) => void): Promise<void> {
    using _lock = await this.#writing.lock()
    const entries = new Map(this.#entries)
    change(entries)
    const bytes = new TextEncoder().encode(this.#format.text([...entries.values()]))
    await writeFileAtomically(this.#disk, this.#path, bytes, PRIVATE, `${basename(this.#path)}.tmp`)
    this.#entries = entries
  }

  async #read(): Promise<string> {
    try {
      await using file = await this.#disk.open(this.#path, 'read')
      const { sizeBytes } = await file.stat()
      const bytes = new Uint8Array(Math.min(sizeBytes, SIZE_BYTES_MAX))
      let done = 0
      while (done < bytes.length) {
        const count = await file.read(bytes.subarray(done), done)
        if (count === 0) break
        done += count
      }
      return new TextDecoder().decode(bytes.subarray(0, done))
    } catch (error) {
      if (isMissing(error)) return ''
      throw error
    }
  }
}
