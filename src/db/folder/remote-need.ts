import type { DatabaseSync } from 'node:sqlite'
import { compareNames } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { isNeededByRemote } from '../../core/records/need.ts'
import type { DeviceId } from '../../core/ids.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { DEVICE_PLACE, type FolderTable } from './folder-table.ts'
import { HEAD_COLUMNS } from './rows.ts'
import { Query, type Row } from '../sqlite/sql.ts'
import type { Counts } from '../types.ts'

/** Global records looked at in one go: a few milliseconds, then others have their turn. */
const NAMES_AT_ONCE = 1_000
/** Greater than every text: SQLite sorts all blobs behind all texts. */
const BEHIND_ALL_NAMES = Uint8Array.of(0xff)
/** The bit of `bits` that says deleted: deletions are compared by more than their version. */
const DELETED_BIT = 4
/** Device number of nobody: no row has it. */
const NOBODY = -1

/** What was found between two names, and where to go on; undefined: nowhere. */
export interface NeedStep {
  readonly needed: readonly FileHead[]
  readonly next: string | undefined
}

/**
 * Finds what another device lacks, by comparing its index with the global records, a stretch of names at a time.
 * Most names are equal on both sides, and SQLite finds that out; what differs is decided by the rule in core.
 */
export class RemoteNeed {
  readonly #files: FolderTable
  readonly #ends: readonly Query[]
  readonly #differing: readonly Query[]
  readonly #selectHead: Query

  constructor(database: DatabaseSync, files: FolderTable) {
    this.#files = files
    // `mark > 0` in so many words: SQLite uses a partial index only when its condition is repeated.
    const won = ['device = 0 AND mark = 0', 'mark > 0 AND mark = 1', 'mark > 0 AND mark = 2']
    this.#ends = won.map(
      (which) =>
        new Query(
          database,
          `SELECT name FROM files WHERE ${which} AND name > ? ORDER BY name LIMIT 1 OFFSET ${NAMES_AT_ONCE - 1}`,
        ),
    )
    const columns = HEAD_COLUMNS.split(', ')
      .map((column) => `w.${column}`)
      .join(', ')
    this.#differing = won.map(
      (which) =>
        new Query(
          database,
          `SELECT ${columns}, w.device, r.version IS NULL
      FROM (SELECT * FROM files WHERE ${which} AND name > ? AND name <= ?) AS w
      LEFT JOIN files AS r ON r.device = ? AND r.name = w.name
      WHERE r.version IS NULL OR r.version <> w.version OR (r.bits & ${DELETED_BIT}) <> (w.bits & ${DELETED_BIT})
      ORDER BY w.name`,
        ),
    )
    this.#selectHead = new Query(database, `SELECT ${HEAD_COLUMNS} FROM files WHERE device = ? AND name = ?`)
  }

  /** Looks at the names after `after`. A device that never told us anything lacks everything. */
  step(device: DeviceId, after: string): NeedStep {
    const number = this.#files.state.holder(device)?.number ?? NOBODY
    const next = this.#endOfStretch(after)
    const needed: FileHead[] = []
    let kinds = 0
    for (const query of this.#differing) {
      const before = needed.length
      for (const row of query.all(after, next ?? BEHIND_ALL_NAMES, number)) {
        const owner = Number(row[DEVICE_PLACE])
        if (owner === number) continue
        const global = this.#files.reader.head(owner, row)
        const unknown = row[DEVICE_PLACE + 1] === 1
        if (isNeededByRemote(unknown ? undefined : this.#record(number, global.name), global)) needed.push(global)
      }
      if (needed.length > before) kinds++
    }
    if (kinds > 1) needed.sort((a, b) => compareNames(a.name, b.name)) // each kind by itself is in order
    return { needed, next }
  }

  /** How much a device lacks; undefined: there are more names to look at, ask again. */
  count(device: DeviceId): Counts | undefined {
    const need = this.#files.state.remoteNeeds.of(device)
    if (need.upTo !== undefined) {
      const { needed, next } = this.step(device, need.upTo)
      for (const head of needed) need.tally.add(head, 1)
      need.upTo = next
    }
    return need.upTo === undefined ? need.tally.counts() : undefined
  }

  #record(number: number, name: string): FileHead | undefined {
    if (number === NOBODY || number === LOCAL_NUMBER) return undefined
    const row: Row | undefined = this.#selectHead.first(number, name)
    return row === undefined ? undefined : this.#files.reader.head(number, row)
  }

  /** The name up to which each of the three kinds of global records has at most so many; undefined: to the end. */
  #endOfStretch(after: string): string | undefined {
    let end: string | undefined
    for (const query of this.#ends) {
      const name = query.first(after)?.[0]
      if (typeof name === 'string' && (end === undefined || compareNames(name, end) < 0)) end = name
    }
    return end
  }
}

/** The part of what the steps find that lies after `offset` items. */
export async function pageOfSteps(
  step: (after: string) => Promise<NeedStep>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly FileHead[]> {
  const page: FileHead[] = []
  let skip = offset
  for (let after: string | undefined = ''; after !== undefined && page.length < limit;) {
    const { needed, next }: NeedStep = await step(after)
    page.push(...needed.slice(skip, skip + limit - page.length))
    skip = Math.max(0, skip - needed.length)
    after = next
  }
  return page
}
