import { DatabaseSync } from 'node:sqlite'

/**
 * Databases in memory, by file name. Their content can be copied, so that a simulated device loses its index or gets an
 * earlier one back.
 */
export class MemoryDatabases {
  readonly #images: ReadonlyMap<string, Uint8Array>
  readonly #open = new Map<string, DatabaseSync>()

  constructor(images: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#images = images
  }

  open(name: string): DatabaseSync {
    const database = new DatabaseSync(':memory:')
    const image = this.#images.get(name)
    if (image !== undefined) database.deserialize(image)
    this.#open.set(name, database)
    return database
  }

  /** Of all open databases. */
  get sizeBytes(): number {
    let total = 0
    for (const database of this.#open.values()) {
      if (!database.isOpen) continue
      const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {}
      const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() ?? {}
      total += Number(pages) * Number(pageBytes)
    }
    return total
  }

  /** Databases with the current content of these; later changes of either do not affect the other. */
  copy(): MemoryDatabases {
    const images = new Map(this.#images)
    for (const [name, database] of this.#open) if (database.isOpen) images.set(name, database.serialize())
    return new MemoryDatabases(images)
  }
}
