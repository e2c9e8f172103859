import { isMissing } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { journalText, parseJournal, type MoveEntry } from '../../core/move/journal.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeFileAtomically } from '../../platform/files/atomic-write.ts'
import { Mutex } from '../../sync/mutex.ts'

const PRIVATE = 0o600
const TEMPORARY = 'moves.json.tmp'
const SIZE_BYTES_MAX = 16 * 1_024 * 1_024

/**
 * The moves of all folders, in a file of the home. Not in the database, which a power loss may set back by some
 * transactions: a directory that was renamed would be missing at its old place, and nothing would say why.
 */
export class JournalFile {
  readonly #disk: Disk
  readonly #path: string
  readonly #writing = new Mutex()
  #entries: ReadonlyMap<FolderId, MoveEntry> = new Map()

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#path = path
  }

  get all(): readonly MoveEntry[] {
    return [...this.#entries.values()]
  }

  get(folder: FolderId): MoveEntry | undefined {
    return this.#entries.get(folder)
  }

  async load(): Promise<void> {
    const entries = parseJournal(await this.#read())
    this.#entries = new Map(entries.map((entry) => [entry.folder, entry]))
  }

  /** Resolves when the entry is durable. */
  async put(entry: MoveEntry): Promise<void> {
    await this.#write((entries) => entries.set(entry.folder, entry))
  }

  async delete(folder: FolderId): Promise<void> {
    if (this.#entries.has(folder)) await this.#write((entries) => entries.delete(folder))
  }

  async #write(change: (entries: Map<FolderId, MoveEntry>) => void): Promise<void> {
    using _lock = await this.#writing.lock()
    const entries = new Map(this.#entries)
    change(entries)
    const text = journalText([...entries.values()])
    await writeFileAtomically(this.#disk, this.#path, new TextEncoder().encode(text), PRIVATE, TEMPORARY)
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
