import type { DatabaseSync } from 'node:sqlite'
import { damaged } from './damage.ts'
import { Query } from './sql.ts'

/**
 * Block lists of files with more than one block, each kept once however many records have it: a file that five devices
 * share has one list, not five. A list goes with its last user.
 */
export class BlockLists {
  readonly #find: Query
  readonly #setUses: Query
  readonly #insert: Query
  readonly #insertBlocks: Query
  readonly #delete: Query
  readonly #deleteBlocks: Query
  readonly #read: Query

  constructor(database: DatabaseSync) {
    this.#find = new Query(database, 'SELECT id, uses FROM lists WHERE hash = ?')
    this.#setUses = new Query(database, 'UPDATE lists SET uses = ? WHERE id = ?')
    this.#insert = new Query(database, 'INSERT INTO lists (hash, uses) VALUES (?, 1) RETURNING id')
    this.#insertBlocks = new Query(database, 'INSERT INTO list_blocks (id, hashes) VALUES (?, ?)')
    this.#delete = new Query(database, 'DELETE FROM lists WHERE id = ?')
    this.#deleteBlocks = new Query(database, 'DELETE FROM list_blocks WHERE id = ?')
    this.#read = new Query(database, 'SELECT hashes FROM lists JOIN list_blocks USING (id) WHERE hash = ?')
  }

  read(hash: string): unknown {
    return this.#read.first(hash)?.[0]
  }

  use(hash: string, hashes: Uint8Array): void {
    const known = this.#find.first(hash)
    if (known !== undefined) {
      this.#setUses.run(Number(known[1]) + 1, Number(known[0]))
      return
    }
    this.#insertBlocks.run(Number(this.#insert.first(hash)?.[0]), hashes)
  }

  release(hash: string): void {
    const known = this.#find.first(hash)
    if (known === undefined) throw damaged('a block list is missing')
    const [id, uses] = [Number(known[0]), Number(known[1])]
    if (uses > 1) {
      this.#setUses.run(uses - 1, id)
      return
    }
    this.#delete.run(id)
    this.#deleteBlocks.run(id)
  }
}
