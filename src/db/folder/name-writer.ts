import type { DatabaseSync } from 'node:sqlite'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import { isContested } from '../../core/records/contested-deletion.ts'
import { findWinner, isHeldElsewhere, isNeeded, type ConflictRules } from '../../core/records/need.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import { addToDigest, removeFromDigest } from '../sqlite/checksum.ts'
import { type FolderState, type Holder } from './folder-state.ts'
import type { NeedTallies } from './need-tallies.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { INSERT_NEW_ROW, INSERT_ROW, rowValues, type EncodedRow } from './row-encoder.ts'
import type { StoredRow } from './row-reader.ts'
import { Query } from '../sqlite/sql.ts'

/** Values of the column `mark`; schema.ts explains them. */
const MARK_NONE = 0
export const MARK_CONTESTING = -2
const MARK_LOCAL_LOST = -1
const MARK_WON = 1
export const MARK_NEEDED = 2

/** A record of a name, and its holder. */
export interface Claimant {
  readonly holder: Holder
  readonly row: StoredRow
}

interface NewRecord {
  readonly holder: Holder
  readonly record: EncodedRow
}

/** A record that takes part in the decision: stored, or about to be stored. */
interface Entry {
  readonly holder: Holder
  readonly head: FileHead
  readonly source: { readonly stored: StoredRow } | { readonly record: EncodedRow; readonly list: number | null }
}

/** Changes one name at a time, and updates its winner, the marks and the counts. Works inside a transaction. */
export class NameWriter {
  /** Records stored or removed so far. */
  written = 0
  readonly #insert: Query
  readonly #insertNew: Query
  readonly #delete: Query
  readonly #setMark: Query

  readonly #insertList: Query
  readonly #deleteList: Query

  constructor(database: DatabaseSync) {
    this.#insert = new Query(database, INSERT_ROW)
    this.#insertNew = new Query(database, INSERT_NEW_ROW)
    this.#delete = new Query(database, 'DELETE FROM files WHERE device = ? AND name = ?')
    this.#setMark = new Query(database, 'UPDATE files SET mark = ?, sum = ? WHERE device = ? AND name = ?')
    this.#insertList = new Query(database, 'INSERT INTO lists (hashes) VALUES (?) RETURNING id')
    this.#deleteList = new Query(database, 'DELETE FROM lists WHERE id = ?')
  }

  /**
   * For our own record while no other device has records: a new name wins without reading existing records. False when
   * the name is not new, or its blocks need a list; then nothing has changed.
   */
  putNew(state: FolderState, record: EncodedRow): boolean {
    if (record.blocks.list !== undefined) return false
    const { values, sum } = rowValues(record, MARK_NONE, null)
    if (this.#insertNew.run(...values) === 0) return false // at most the columns of a row
    this.written++
    state.countRow(state.holders[0]!, record.head, sum, 1)
    state.countWinner(record.head, false, 1)
    if (state.remoteNeeds.isCounting) state.remoteNeeds.countLacking(record.head, () => undefined, 1)
    return true
  }

  /** `before` are all records of the name; the one of `holder`, if any, is replaced. */
  put(state: FolderState, before: readonly Claimant[], holder: Holder, record: EncodedRow): void {
    this.written++
    const entries = this.#takeOut(state, before, holder)
    const list = this.#placeList(record, before)
    this.#dropList(before, holder, list)
    insertEntry(entries, { holder, head: record.head, source: { record, list } }, state.holders)
    const winner = this.#decide(state, entries)
    countNeeds(state.remoteNeeds, { before, after: entries, winner, changed: holder })
  }

  /**
   * For a record of another device with the version of ours, which wins: the records of third devices are not read, and
   * keep their marks. False, and nothing has changed, when it may be otherwise.
   */
  putEqual(state: FolderState, ours: Claimant, theirs: Claimant | undefined, { holder, record }: NewRecord): boolean {
    if (state.remoteNeeds.isCounting) return false
    const { head: own, hash, list } = ours.row
    if (!hasWon(ours) || isInvalid(own) || isInvalid(record.head) || own.deleted !== record.head.deleted) return false
    if (compareVersions(record.head.version, own.version) !== 'equal') return false
    // A record that is neither older nor equal may have kept another one from winning.
    if (theirs !== undefined && !isEqualOrOlder(theirs.row.head, own)) return false
    if (record.blocks.list !== undefined && (list === null || hash !== record.blocks.hash)) return false
    const dropped = theirs?.row.list ?? null
    if (dropped !== null && dropped !== list) return false
    this.written++
    const { values, sum } = rowValues(record, MARK_NONE, record.blocks.list === undefined ? null : list)
    this.#insert.run(...values) // at most the columns of a row
    state.countRow(holder, record.head, sum, 1)
    if (theirs !== undefined) state.countRow(holder, theirs.row.head, theirs.row.sum, -1)
    if (theirs !== undefined) state.remoteNeeds.count(own, holder.owner, theirs.row.head, -1)
    state.remoteNeeds.count(own, holder.owner, record.head, 1)
    return true
  }

  /** All records of a name that has none yet, without reading any. */
  putAll(state: FolderState, records: ReadonlyMap<Holder, EncodedRow>): void {
    const lists = new Map<string, number>()
    const entries: Entry[] = []
    for (const [holder, record] of records) {
      const { hash, list: hashes } = record.blocks
      if (hashes !== undefined && !lists.has(hash)) lists.set(hash, Number(this.#insertList.first(hashes)?.[0]))
      entries.push({ holder, head: record.head, source: { record, list: lists.get(hash) ?? null } })
    }
    if (entries.length > 1) entries.sort((a, b) => state.holders.indexOf(a.holder) - state.holders.indexOf(b.holder))
    countNeeds(state.remoteNeeds, { before: [], after: entries, winner: this.#decide(state, entries) })
  }

  remove(state: FolderState, before: readonly Claimant[], holder: Holder, name: string): void {
    this.written++
    const entries = this.#takeOut(state, before, holder)
    if (entries.length < before.length) this.#delete.run(holder.number, name)
    this.#dropList(before, holder, null)
    const winner = this.#decide(state, entries)
    countNeeds(state.remoteNeeds, { before, after: entries, winner, changed: holder })
  }

  /** Subtracts the old winner and the old record of `leaving` from the counts; returns the remaining records. */
  #takeOut(state: FolderState, before: readonly Claimant[], leaving: Holder): Entry[] {
    const staying: Entry[] = []
    for (const { holder, row } of before) {
      if (hasWon({ holder, row })) state.countWinner(row.head, row.mark === MARK_NEEDED, -1)
      if (holder === leaving) state.countRow(holder, row.head, row.sum, -1)
      else staying.push({ holder, head: row.head, source: { stored: row } })
    }
    return staying
  }

  /** The id of the block list of a new record: that of another record of the name, or a new one. */
  #placeList({ blocks }: EncodedRow, before: readonly Claimant[]): number | null {
    if (blocks.list === undefined) return null
    const same = before.find(({ row }) => row.list !== null && row.hash === blocks.hash)
    return same === undefined ? Number(this.#insertList.first(blocks.list)?.[0]) : same.row.list
  }

  /** A list is deleted with its last record; `kept` is the one in use by the new record. */
  #dropList(before: readonly Claimant[], leaving: Holder, kept: number | null): void {
    const old = before.find(({ holder }) => holder === leaving)?.row.list ?? null
    if (old === null || old === kept) return
    if (!before.some(({ holder, row }) => holder !== leaving && row.list === old)) this.#deleteList.run(old)
  }

  /** Finds the winner, writes the new record and the changed marks, and adds them to the counts. */
  #decide(state: FolderState, entries: readonly Entry[]): FileHead | undefined {
    const { rules } = state
    const heads = entries.map(({ head }) => head)
    const winner = entries[findWinner(heads, rules)]
    if (winner === undefined) return undefined
    const local = entries.find(({ holder }) => holder.number === LOCAL_NUMBER)
    const needed = winner !== local && isNeededAmong(entries, local, winner)
    for (const entry of entries) this.#write(state, entry, markFor(entry, { winner, local, needed, rules }))
    state.countWinner(winner.head, needed, 1)
    return winner.head
  }

  #write(state: FolderState, { holder, head, source }: Entry, mark: number): void {
    if ('record' in source) {
      const { values, sum } = rowValues(source.record, mark, source.list)
      this.#insert.run(...values) // at most the columns of a row
      state.countRow(holder, head, sum, 1)
      return
    }
    const { stored } = source
    if (stored.mark === mark) return
    const sum = stored.sumWithMark(mark)
    this.#setMark.run(mark, sum, holder.number, head.name)
    state.digest = addToDigest(removeFromDigest(state.digest, stored.sum), sum)
  }
}

function isEqualOrOlder(record: FileHead, than: FileHead): boolean {
  const order = compareVersions(record.version, than.version)
  return order === 'equal' || order === 'older'
}

function hasWon({ holder, row }: Claimant): boolean {
  return holder.number === LOCAL_NUMBER ? row.mark === MARK_NONE : row.mark > MARK_NONE
}

interface NameChange {
  readonly before: readonly Claimant[]
  readonly after: readonly Entry[]
  readonly winner: FileHead | undefined
  /** The holder whose record changed; undefined: all. */
  readonly changed?: Holder
}

/** While the same record wins, only the need of one device changes. */
function countNeeds(needs: NeedTallies, { before, after, winner, changed }: NameChange): void {
  const old = before.find(hasWon)?.row.head
  const isSame = old === winner && changed !== undefined
  if (old !== undefined) {
    for (const { holder, row } of before)
      if (!isSame || holder === changed) needs.count(old, holder.owner, row.head, -1)
  }
  if (winner !== undefined) {
    for (const { holder, head } of after) if (!isSame || holder === changed) needs.count(winner, holder.owner, head, 1)
  }
  if (!needs.isCounting) return
  if (old !== undefined)
    needs.countLacking(old, (device) => before.find(({ holder }) => holder.owner === device)?.row.head, -1)
  if (winner !== undefined)
    needs.countLacking(winner, (device) => after.find(({ holder }) => holder.owner === device)?.head, 1)
}

/** The others are in the order of the holders already. */
function insertEntry(entries: Entry[], entry: Entry, holders: readonly Holder[]): void {
  const place = holders.indexOf(entry.holder)
  const next = entries.findIndex(({ holder }) => holders.indexOf(holder) > place)
  if (next < 0) entries.push(entry)
  else if (next === 0) entries.unshift(entry)
  else entries.splice(next, 0, entry)
}

function isNeededAmong(entries: readonly Entry[], local: Entry | undefined, winner: Entry): boolean {
  const heldElsewhere = local === undefined && isHeldElsewhere(headsOf(entries), winner.head)
  return isNeeded(local?.head, winner.head, heldElsewhere)
}

function* headsOf(entries: readonly Entry[]): Iterable<FileHead> {
  for (const { head } of entries) yield head
}

interface Decision {
  readonly winner: Entry
  readonly local: Entry | undefined
  readonly needed: boolean
  readonly rules: ConflictRules
}

function markFor(entry: Entry, { winner, local, needed, rules }: Decision): number {
  if (entry.holder.number === LOCAL_NUMBER) return entry === winner ? MARK_NONE : MARK_LOCAL_LOST
  if (entry === winner) return needed ? MARK_NEEDED : MARK_WON
  const isContesting = rules.settlesContested && winner === local && isContested(winner.head, entry.head)
  return isContesting ? MARK_CONTESTING : MARK_NONE
}
