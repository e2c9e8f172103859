import type { DatabaseSync } from 'node:sqlite'
import { compareNames } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { isNeededByRemote } from '../../core/records/need.ts'
import type { DeviceId } from '../../core/ids.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { DEVICE_PLACE, type FolderTable } from './folder-table.ts'
import { HEAD_COLUMNS } from './row-format.ts'
import { Query, type Row } from '../sqlite/sql.ts'
import type { Counts } from '../types.ts'

/** Global records read per step: a few milliseconds, then the event loop runs. */
const NAMES_AT_ONCE = 1_000
/** Greater than every text: SQLite sorts all blobs after all texts. */
const BEHIND_ALL_NAMES = Uint8Array.of(0xff)
/** The deleted bit of `bits`: deletions are compared by more than their version. */
const DELETED_BIT = 4
/** Device number that no row has. */
const NO_DEVICE = -1

/** The needed records of one stretch of names, and the name to continue after; undefined at the end. */
export interface NeedStep {
  readonly needed: readonly FileHead[]
  readonly next: string | undefined
}

/**
 * Finds what another device needs, by comparing its index with the global records, a stretch of names at a time.
 * Most names are equal on both sides, and SQLite filters these out; the rule in core decides on the others.
 */
export class RemoteNeed {
  readonly #files: FolderTable
  readonly #ends: readonly Query[]
  readonly #differing: readonly Query[]
  readonly #selectHead: Query

  constructor(database: DatabaseSync, files: FolderTable) {
    this.#files = files
    // `mark > 0` is explicit: SQLite uses a partial index only when its condition is repeated.
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
      LEFT JOIN files AS r ON r.device = +? AND r.name = w.name
      WHERE r.version IS NULL OR r.version <> w.version OR (r.bits & ${DELETED_BIT}) <> (w.bits & ${DELETED_BIT})
      ORDER BY w.name`,
        ),
    )
    this.#selectHead = new Query(database, `SELECT ${HEAD_COLUMNS} FROM files WHERE device = ? AND name = ?`)
  }

  /** Compares the names after `after`. A device without records needs everything. */
  step(device: DeviceId, after: string): NeedStep {
    const number = this.#files.state.holder(device)?.number ?? NO_DEVICE
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

  /** How much a device needs; undefined: more names remain, call again. */
  count(device: DeviceId): Counts | undefined {
    const { state } = this.#files
    const known = state.remoteNeed(device)
    if (known !== undefined) return known
    const count = state.remoteNeeds.counting(device)
    const { needed, next } = this.step(device, count.upTo)
    for (const head of needed) count.tally.add(head, 1)
    if (next !== undefined) {
      count.upTo = next
      return undefined
    }
    // Stored at once: after a restart it would be counted again.
    this.#files.change((draft) => draft.setRemoteNeed(device, count.tally))
    return this.#files.state.remoteNeed(device)
  }

  #record(number: number, name: string): FileHead | undefined {
    if (number === NO_DEVICE || number === LOCAL_NUMBER) return undefined
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

/** The results of the steps from item `offset` on, at most `limit`. */
export async function pageOfSteps(
  step: (after: string) => Promise<NeedStep>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly FileHead[]> {
  const page: FileHead[] = []
  let skip = offset
  for (let after: string | undefined = ''; after !== undefined && page.length < limit;) {
    const { needed, next }: NeedStep = await step(after)
    for (const head of needed.slice(skip, skip + limit - page.length)) page.push(head)
    skip = Math.max(0, skip - needed.length)
    after = next
  }
  return page
}
