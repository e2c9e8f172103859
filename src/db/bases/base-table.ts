import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { FolderId } from '../../core/ids.ts'
import { MERGE_SIZE_BYTES_MAX } from '../../core/merge/text.ts'
import { parseVersion, versionToText } from '../../core/records/version-vector.ts'
import { CHECKSUM_START, mixNumber, mixText } from '../sqlite/checksum.ts'
import { damaged } from '../sqlite/damage.ts'
import type { Kind } from '../sqlite/recoverable-database.ts'
import type { Schema } from '../sqlite/schema.ts'
import { inTransaction, Query, type Row } from '../sqlite/sql.ts'
import type { BaseVersion, NewBase } from '../types.ts'

/** Compressed, of all folders: the oldest are removed. */
const TOTAL_BYTES_MAX = 64 * 1_024 * 1_024
/** Of one name: the last that another device had is among them, and a few that a device far behind may have. */
const VERSIONS_MAX = 4
/** The fastest: sources and notes take a third of their size. */
const COMPRESSION_LEVEL = 1

const BASES_SCHEMA: Schema = [
  `CREATE TABLE contents (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, data BLOB NOT NULL);
  CREATE TABLE bases (
    id INTEGER PRIMARY KEY, folder TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
    content INTEGER NOT NULL, sum INTEGER NOT NULL);
  CREATE INDEX bases_of ON bases (folder, name);
  CREATE INDEX bases_with ON bases (content)`,
]

export interface BaseLimits {
  readonly totalBytesMax: number
}

/** Versions by folder and name, newest last, and their contents, each stored once; synchronous. */
export class BaseTable {
  readonly #database: DatabaseSync
  readonly #limits: BaseLimits
  readonly #contentId: Query
  readonly #content: Query
  readonly #insertContent: Query
  readonly #deleteContent: Query
  readonly #isUsed: Query
  readonly #of: Query
  readonly #insert: Query
  readonly #delete: Query
  readonly #oldest: Query
  readonly #ofFolder: Query
  #totalBytes: number

  constructor(database: DatabaseSync, limits: BaseLimits = { totalBytesMax: TOTAL_BYTES_MAX }) {
    this.#database = database
    this.#limits = limits
    this.#contentId = new Query(database, 'SELECT id FROM contents WHERE hash = ?')
    this.#content = new Query(database, 'SELECT hash, data FROM contents WHERE id = ?')
    this.#insertContent = new Query(database, 'INSERT INTO contents (hash, data) VALUES (?, ?) RETURNING id')
    this.#deleteContent = new Query(database, 'DELETE FROM contents WHERE id = ? RETURNING length(data)')
    this.#isUsed = new Query(database, 'SELECT 1 FROM bases WHERE content = ? LIMIT 1')
    this.#of = new Query(
      database,
      'SELECT id, folder, name, version, content, sum FROM bases WHERE folder = ? AND name = ? ORDER BY id DESC',
    )
    this.#insert = new Query(database, 'INSERT INTO bases (folder, name, version, content, sum) VALUES (?, ?, ?, ?, ?)')
    this.#delete = new Query(database, 'DELETE FROM bases WHERE id = ?')
    this.#oldest = new Query(database, 'SELECT id, content FROM bases ORDER BY id LIMIT 1')
    this.#ofFolder = new Query(database, 'SELECT id, content FROM bases WHERE folder = ? LIMIT +?')
    this.#totalBytes = Number(new Query(database, 'SELECT total(length(data)) FROM contents').first()?.[0] ?? 0)
  }

  /** Bytes of all contents, compressed. */
  get totalBytes(): number {
    return this.#totalBytes
  }

  put(folder: FolderId, bases: readonly NewBase[]): void {
    const before = this.#totalBytes
    try {
      inTransaction(this.#database, () => {
        for (const base of bases) this.#putOne(folder, base)
        while (this.#totalBytes > this.#limits.totalBytesMax && this.#removeRow(this.#oldest.first()));
      })
    } catch (error) {
      this.#totalBytes = before
      throw error
    }
  }

  #putOne(folder: FolderId, { content, name, version }: NewBase): void {
    const digest = hash('sha256', content, 'hex')
    const text = versionToText(version)
    const known = this.#of.all(folder, name)
    const id = Number(this.#contentId.first(digest)?.[0] ?? this.#store(digest, content))
    if (known[0]?.[3] === text && known[0][4] === id) return
    this.#insert.run(folder, name, text, id, sumOf(folder, name, text, id))
    const others = known.filter((row) => row[3] !== text)
    for (const row of known) if (!others.slice(0, VERSIONS_MAX - 1).includes(row)) this.#removeRow([row[0]!, row[4]!])
  }

  #store(digest: string, content: Uint8Array): number {
    const { constants, zstdCompressSync } = process.getBuiltinModule('node:zlib') // idle devices do not need it
    const data = zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } })
    this.#totalBytes += data.length
    return Number(this.#insertContent.first(digest, data)?.[0])
  }

  /** False where there is no row. */
  #removeRow(row: Row | undefined): boolean {
    if (row === undefined) return false
    const [id, content] = [Number(row[0]), Number(row[1])]
    this.#delete.run(id)
    if (this.#isUsed.first(content) === undefined)
      this.#totalBytes -= Number(this.#deleteContent.first(content)?.[0] ?? 0)
    return true
  }

  /** The newest first. */
  of(folder: FolderId, name: string): readonly BaseVersion[] {
    return this.#of.all(folder, name).map((row) => {
      const [, , , text, content] = row
      const version = parseVersion(String(text))
      if (version === undefined || row[5] !== sumOf(folder, name, String(text), Number(content)))
        throw damaged('a base is not what was written')
      return { version, content: Number(content) }
    })
  }

  content(id: number): Uint8Array | undefined {
    const row = this.#content.first(id)
    if (row === undefined) return undefined
    const { zstdDecompressSync } = process.getBuiltinModule('node:zlib')
    const content = zstdDecompressSync(row[1] as Uint8Array, { maxOutputLength: MERGE_SIZE_BYTES_MAX })
    if (hash('sha256', content, 'hex') !== row[0]) throw damaged('the content of a base is not what was written')
    return content
  }

  /** Removes up to `limit` versions of a folder; true when none are left. */
  dropSome(folder: FolderId, limit: number): boolean {
    return inTransaction(this.#database, () => {
      const rows = this.#ofFolder.all(folder, limit)
      for (const row of rows) this.#removeRow(row)
      return rows.length < limit
    })
  }
}

function sumOf(folder: string, name: string, version: string, content: number): number {
  return mixNumber(mixText(mixText(mixText(CHECKSUM_START, folder), name), version), content)
}

export const BASES_KIND: Kind<BaseTable> = {
  schema: BASES_SCHEMA,
  // Every version and content is checked when it is read.
  check: async () => {},
  open: (database) => new BaseTable(database),
}
