import type { DatabaseSync } from 'node:sqlite'
import { FLAG_IGNORED, isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import type { FolderTable } from './folder-table.ts'
import { BEHIND_ALL_NAMES, GLOBAL_SOURCES, GlobalRows } from './global-rows.ts'
import { MARK_NEEDED } from './name-writer.ts'
import { unverifiedFields } from './row-reader.ts'
import { Query, type Row } from '../sqlite/sql.ts'
import type { ListedName, ListStep, NameRecords, OwnName } from '../types.ts'

/** Rows read per step: a few milliseconds, then the event loop runs. */
const ROWS_AT_ONCE = 1_200
/** The same for rows of which SQLite returns the names only, joined: less than a millisecond, 12 MB of the longest. */
const JOINED_AT_ONCE = 500
/** The cost of a jump, in rows: the database starts a new search. */
const JUMP_ROWS = 8
/** Rows of a directory that are read to find a listed one. */
const CHILD_ROWS_MAX = 50

export interface JoinedNames {
  /** With `NAME_END` between them; '' if there are none. */
  readonly joined: string
  readonly count: number
  readonly isEnd: boolean
}

/**
 * The names of a folder for users: those of the cluster, and those that exist only locally. Deleted names are listed
 * while they still exist locally. Works in steps, because the number of names is unbounded.
 */
export class Listing {
  readonly #files: FolderTable
  readonly #rows: GlobalRows
  readonly #own: Query
  /** Of each source of global rows: many names as one text, and the row of one. */
  readonly #joined: readonly Query[]
  readonly #single: readonly Query[]

  constructor(database: DatabaseSync, files: FolderTable) {
    this.#files = files
    this.#rows = new GlobalRows(database, 'name, mark, bits')
    // Without the hint SQLite sorts all of our records for every query.
    this.#own = new Query(
      database,
      `SELECT sequence, name, bits FROM files INDEXED BY files_own
      WHERE device = ${LOCAL_NUMBER} AND sequence > ? ORDER BY sequence LIMIT +?`,
    )
    this.#joined = GLOBAL_SOURCES.map((source) => {
      const names = `SELECT name FROM files WHERE ${source} AND name > ? ORDER BY name LIMIT ${JOINED_AT_ONCE}`
      return new Query(database, `SELECT group_concat(name, char(0)), count(*) FROM (${names})`)
    })
    this.#single = GLOBAL_SOURCES.map((source) => {
      return new Query(database, `SELECT device, name, mark, bits FROM files WHERE ${source} AND name = ?`)
    })
  }

  /** Names from `start` on ('' is the beginning) anywhere in the folder. */
  names(start: string): ListStep {
    return this.#step(start, BEHIND_ALL_NAMES, () => undefined)
  }

  /** The next names of one source of global rows, listed or not, behind `after`. */
  joinedNames(source: number, after: string): JoinedNames {
    const [joined, count] = this.#joined[source]?.first(after) ?? []
    return { joined: String(joined ?? ''), count: Number(count), isEnd: Number(count) < JOINED_AT_ONCE }
  }

  /** Whether a name of that source is listed. */
  isListedIn(source: number, name: string): boolean {
    const row = this.#single[source]?.first(name)
    return row !== undefined && this.#isListed(name, row)
  }

  /** Names from `start` on that are direct children of the directory ('' is the root). */
  level(directory: string, start: string): ListStep {
    const inside = directory === '' ? '' : `${directory}/`
    return this.#step(start === '' ? inside : start, endOf(directory), (name) => {
      const slash = name.indexOf('/', inside.length)
      return slash === -1 ? undefined : `${name.slice(0, slash)}0` // the first name that can follow the subtree
    })
  }

  /** Whether a directory has listed children. Returns true early when it has very many deleted names. */
  hasChildren(directory: string): boolean {
    let left = CHILD_ROWS_MAX
    let found = false
    this.#rows.walk(`${directory}/`, endOf(directory), (name, rowOf) => {
      found = this.#isListed(name, rowOf()) || --left === 0
      return found ? false : undefined
    })
    return found
  }

  /** All records of a name; undefined when no device has announced it. */
  records(name: string): NameRecords | undefined {
    const claimants = this.#files.claimants(name)
    const global = this.#files.winner(claimants)?.row.head
    if (global === undefined) return undefined
    const others = new Map<DeviceId, FileHead>()
    let local: FileHead | undefined
    for (const { holder, row } of claimants) {
      if (holder.owner === 'local') local = row.head
      else others.set(holder.owner, row.head)
    }
    return { name, global, local, others }
  }

  /** Our own names that changed after `sequence`, in order of change. */
  ownSince(sequence: number): readonly OwnName[] {
    return this.#own.all(sequence, ROWS_AT_ONCE).map((row) => {
      const { deleted, localFlags } = unverifiedFields(Number(row[2]))
      return { sequence: Number(row[0]), name: String(row[1]), live: !deleted && (localFlags & FLAG_IGNORED) === 0 }
    })
  }

  #step(start: string, end: string | Uint8Array, jump: (name: string) => string | undefined): ListStep {
    const found: ListedName[] = []
    let left = ROWS_AT_ONCE
    let next: string | undefined
    this.#rows.walk(start, end, (name, rowOf) => {
      if (left <= 0) {
        next = name
        return false
      }
      const further = jump(name)
      left -= further === undefined ? 1 : JUMP_ROWS
      if (further !== undefined) return further
      const row = rowOf()
      if (this.#isListed(name, row)) found.push({ name, type: unverifiedFields(Number(row[3])).type })
      return undefined
    })
    return { found, next }
  }

  #isListed(name: string, row: Row): boolean {
    const { deleted, localFlags } = unverifiedFields(Number(row[3]))
    if (!deleted && !isInvalid({ localFlags })) return true
    if (row[0] === LOCAL_NUMBER) return !deleted
    if (deleted && row[2] !== MARK_NEEDED) return false
    const own = this.#files.head('local', name)
    return own !== undefined && !own.deleted
  }
}

function endOf(directory: string): string | Uint8Array {
  return directory === '' ? BEHIND_ALL_NAMES : `${directory}0`
}
