import type { DatabaseSync } from 'node:sqlite'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId, ShortId } from '../../core/ids.ts'
import { findWinner, hasWinner, isHeldElsewhere } from '../../core/records/need.ts'
import { compareNames } from '../../core/paths.ts'
import { shortIdOf } from '../../core/device-id.ts'
import type { HistoryOrigin } from '../../core/history/entry.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import { HistoryWriter } from '../history/history-writer.ts'
import { BlockFinder, isFindable } from '../blocks/block-finder.ts'
import { FolderState, type Holder } from './folder-state.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { metaWriter, readMeta } from '../sqlite/meta.ts'
import { MeetingVersions } from './met-versions.ts'
import { MARK_NEEDED, NameWriter, type Claimant } from './name-writer.ts'
import { RowEncoder, type EncodedRow } from './row-encoder.ts'
import { HEAD_COLUMNS, INFO_COLUMNS, STORED_COLUMNS } from './row-format.ts'
import { RowReader } from './row-reader.ts'
import { setStamps } from './stamp-value.ts'
import { TouchedNames } from './touched-names.ts'
import { inTransaction, Query, type Row } from '../sqlite/sql.ts'
import type { BothRecords, IndexOwner } from '../types.ts'

/** Position of the device in rows of queries that select it after HEAD_COLUMNS. */
export const DEVICE_PLACE = HEAD_COLUMNS.split(', ').length

export interface FolderTableOptions {
  /** For the history. */
  nowMs(): number
  /** Gets the number of records of each batch. */
  readonly onCommit?: (records: number) => void
}

/**
 * The tables of one folder; synchronous. A write updates the marks and counts of the touched names in the same
 * transaction; its cost does not depend on the size of the folder.
 */
export class FolderTable {
  readonly database: DatabaseSync
  readonly reader = new RowReader()
  readonly history: HistoryWriter
  readonly met = new MeetingVersions()
  /** Another object after every change of our records. */
  localState: object = {}
  readonly #shortIds = new Map<DeviceId, ShortId>()
  readonly #encoder = new RowEncoder()
  readonly #finder: BlockFinder
  readonly #writer: NameWriter
  readonly #select: Query
  readonly #selectInfo: Query
  readonly #selectList: Query
  readonly #pageAll: Query
  readonly #pageRange: Query
  readonly #bySequence: Query
  readonly #infoBySequence: Query
  readonly #need: Query
  readonly #writeMeta: (key: string, value: string) => void
  #state: FolderState
  /** Our next name is probably new when the last one was: then it is stored without reading its records first. */
  #expectNew = true
  readonly #touched = new TouchedNames()
  readonly #onCommit: ((records: number) => void) | undefined

  /** `makeFresh` returns the state of a new folder. */
  constructor(database: DatabaseSync, makeFresh: () => FolderState, options: FolderTableOptions = { nowMs: () => 0 }) {
    this.database = database
    this.#onCommit = options.onCommit
    this.history = new HistoryWriter(database, options.nowMs)
    this.#writer = new NameWriter(database)
    this.#finder = new BlockFinder(database)
    const from = `SELECT ${HEAD_COLUMNS} FROM files`
    this.#select = new Query(database, `SELECT ${STORED_COLUMNS} FROM files WHERE device = ? AND name = ?`)
    this.#selectInfo = new Query(database, `SELECT ${INFO_COLUMNS} FROM files WHERE device = ? AND name = ?`)
    this.#selectList = new Query(database, 'SELECT hashes FROM lists WHERE id = ?')
    // With `?` as a limit or as part of a key, SQLite plans for the value: again for each call. `+?` has none.
    this.#pageAll = new Query(database, `${from} WHERE device = +? AND name > ? ORDER BY name LIMIT +?`)
    this.#pageRange = new Query(database, `${from} WHERE device = +? AND name > ? AND name < ? ORDER BY name LIMIT +?`)
    const own = `WHERE device = ${LOCAL_NUMBER} AND sequence = ?`
    this.#bySequence = new Query(database, `${from} ${own}`)
    this.#infoBySequence = new Query(database, `SELECT ${INFO_COLUMNS} FROM files ${own}`)
    // In two steps: the names that are skipped are all in one SQL index, and no record of them is read.
    const firstName = `SELECT name FROM files
      WHERE mark > 0 AND mark = ${MARK_NEEDED} AND name > ? ORDER BY name LIMIT 1 OFFSET ?`
    this.#need = new Query(
      database,
      `SELECT ${HEAD_COLUMNS}, device FROM files
      WHERE mark > 0 AND mark = ${MARK_NEEDED} AND name >= (${firstName}) ORDER BY name LIMIT +?`,
    )
    this.#writeMeta = metaWriter(database)
    const stored = readMeta(database, 'state')
    this.#state = stored === undefined ? makeFresh() : FolderState.fromText(stored)
    if (stored === undefined) this.#commit(this.#state, () => undefined)
  }

  /** As of the last committed batch. Readers must not modify it. */
  get state(): FolderState {
    return this.#state
  }

  page(owner: IndexOwner, within: string, afterName: string, limit: number): readonly FileHead[] {
    const holder = this.#state.holder(owner)
    if (holder === undefined || limit < 1) return []
    const device = holder.number
    if (within === '') return this.#heads(device, this.#pageAll.all(device, afterName, limit))
    const heads: FileHead[] = []
    // In byte order `a`, `a-b` and `a.b` come before `a/b`: the directory itself is not adjacent to its children.
    if (compareNames(afterName, within) < 0) {
      const row = this.#select.first(device, within)
      if (row !== undefined) heads.push(this.reader.head(device, row))
    }
    if (heads.length >= limit) return heads
    const start = compareNames(afterName, `${within}/`) > 0 ? afterName : `${within}/`
    const below = this.#pageRange.all(device, start, `${within}0`, limit - heads.length)
    return heads.concat(this.#heads(device, below))
  }

  #heads(device: number, rows: ReturnType<Query['all']>): FileHead[] {
    return rows.map((row) => this.reader.head(device, row))
  }

  get(owner: IndexOwner, name: string): FileInfo | undefined {
    const holder = this.#state.holder(owner)
    return holder === undefined ? undefined : this.#info(holder.number, name)
  }

  head(owner: IndexOwner, name: string): FileHead | undefined {
    const holder = this.#state.holder(owner)
    if (holder === undefined || holder.records === 0) return undefined // before a first pull, without a query per file
    const row = this.#select.first(holder.number, name)
    return row === undefined ? undefined : this.reader.head(holder.number, row)
  }

  #info(device: number, name: string): FileInfo | undefined {
    return this.#infoOf(device, this.#selectInfo.first(device, name))
  }

  #infoOf(device: number, row: Row | undefined): FileInfo | undefined {
    return row === undefined ? undefined : this.#withBlocks(this.reader.head(device, row), row)
  }

  #withBlocks(head: FileHead | undefined, row: Row | undefined): FileInfo | undefined {
    if (head === undefined || row === undefined) return undefined
    return { ...head, blockHashes: this.reader.blockHashes(row, (list) => this.#selectList.first(list)?.[0]) }
  }

  /** Our record with this sequence number; undefined when the record has a newer number. */
  bySequence(sequence: number): FileInfo | undefined {
    return this.#infoOf(LOCAL_NUMBER, this.#infoBySequence.first(sequence))
  }

  global(name: string): FileInfo | undefined {
    return this.both(name).global
  }

  /** Our record of a name and the winning one. */
  both(name: string): BothRecords {
    const rows: Row[] = []
    const heads: FileHead[] = []
    const owners: IndexOwner[] = []
    let ours = false
    for (const { number, owner, records } of this.#state.holders) {
      const row = records === 0 ? undefined : this.#selectInfo.first(number, name)
      if (row === undefined) continue
      rows.push(row)
      heads.push(this.reader.head(number, row))
      owners.push(owner)
      ours ||= number === LOCAL_NUMBER
    }
    const local = ours ? this.#withBlocks(heads[0], rows[0]) : undefined
    const place = findWinner(heads, this.#state.rules)
    const global = ours && place === 0 ? local : this.#withBlocks(heads[place], rows[place])
    const holders = owners.filter((owner, at): owner is DeviceId => {
      const head = heads[at]
      if (owner === 'local' || head === undefined || global === undefined) return false
      return head.deleted === global.deleted && hasWinner(head, global)
    })
    const heldElsewhere = global?.deleted === true && isHeldElsewhere(ours ? heads.slice(1) : heads, global)
    const deletions = global?.deleted === true ? heads.filter(({ deleted }) => deleted) : []
    return { local, global, holders, heldElsewhere, deletions }
  }

  availability(name: string): readonly DeviceId[] {
    const claimants = this.claimants(name)
    const winner = this.winner(claimants)
    if (winner === undefined) return []
    return claimants.flatMap(({ holder: { owner }, row }) => {
      return owner !== 'local' && hasWinner(row.head, winner.row.head) ? [owner] : []
    })
  }

  /** Loads the next part of the data for `localByBlocks`; true when it is complete. */
  prepareBlocks(): boolean {
    return this.#finder.load()
  }

  get blocksPrepared(): boolean {
    return this.#finder.ready
  }

  /** Sequence numbers of our records that may have these blocks. After `prepareBlocks`. */
  candidates(blocksHash: Uint8Array): Iterable<number> {
    return this.#finder.candidates(blocksHash)
  }

  /** Undefined: `prepareBlocks` must be called first. */
  localByBlocks(blocksHash: Uint8Array, limit: number): readonly FileHead[] | undefined {
    if (!this.#finder.ready) return undefined
    const found: FileHead[] = []
    for (const sequence of this.#finder.candidates(blocksHash)) {
      if (found.length >= limit) break
      const row = this.#bySequence.first(sequence)
      const head = row === undefined ? undefined : this.reader.head(LOCAL_NUMBER, row)
      // A candidate may be stale, or another file with the same key.
      if (head?.blocksHash !== undefined && isFindable(head) && Buffer.compare(head.blocksHash, blocksHash) === 0)
        found.push(head)
    }
    return found
  }

  need(afterName: string, offset: number, limit: number): readonly FileHead[] {
    if (this.#state.need.isEmpty) return [] // the usual result, without a query
    return this.#need.all(afterName, offset, limit).map((row) => this.reader.head(Number(row[DEVICE_PLACE]), row))
  }

  takeTouched(): readonly string[] | undefined {
    return this.#touched.take()
  }

  /** Without an origin nothing of it is history. */
  updateLocal(batch: readonly FileInfo[], origin?: HistoryOrigin): number {
    this.localState = {}
    return this.change((state) => {
      const own = state.holders[0]!
      const recorded = this.#recordedOrigin(state, origin)
      const onlyLocal = state.holders.every((holder) => holder === own || holder.records === 0)
      if (recorded !== undefined) this.history.begin(recorded)
      for (const info of batch) {
        own.sequence++
        const record = this.#encoder.encode(LOCAL_NUMBER, info, own.sequence)
        const isNew = onlyLocal && this.#expectNew && this.#writer.putNew(state, record)
        const claimants = isNew ? [] : this.#put(state, own, record)
        if (recorded !== undefined) this.#remember(record, claimants, recorded)
        if (this.met.isWanted)
          for (const { holder, row } of claimants) if (holder !== own) this.met.note(record.head, row.head)
        if (isFindable(info) && record.blocks.hash !== '')
          this.#finder.add(record.blocks.hash, own.sequence, own.records)
      }
      if (recorded !== undefined && state.history !== undefined)
        state.history = this.history.end(state.history, own.records)
      return own.sequence
    })
  }

  setDiskStamps(stamps: ReadonlyMap<string, number>): void {
    this.localState = {}
    setStamps(this.database, stamps)
  }

  /** Before the first scan has ended, what it finds is no change. Any other change begins the history. */
  #recordedOrigin(state: FolderState, origin: HistoryOrigin | undefined): HistoryOrigin | undefined {
    if (origin === undefined || (origin === 'scan' && state.history === undefined)) return undefined
    state.history ??= this.history.start(state.local.counts())
    return origin
  }

  #remember({ blocks, head: after }: EncodedRow, claimants: readonly Claimant[], origin: HistoryOrigin): void {
    const local = claimants[0]?.holder.number === LOCAL_NUMBER ? claimants[0].row : undefined
    const holders = () =>
      claimants.flatMap(({ holder: { owner }, row: { head } }) => {
        const isHolder = owner !== 'local' && compareVersions(head.version, after.version) === 'equal'
        return isHolder ? [this.#shortIdOf(owner)] : []
      })
    const before = local?.head
    this.history.add({ before, beforeHash: local?.hash ?? '', after, afterHash: blocks.hash, holders }, origin)
  }

  #shortIdOf(device: DeviceId): ShortId {
    const known = this.#shortIds.get(device) ?? shortIdOf(device)
    this.#shortIds.set(device, known)
    return known
  }

  /** The first scan has ended: changes are recorded from now on. */
  beginHistory(): void {
    if (this.#state.history !== undefined) return
    this.change((state) => {
      state.history = this.history.start(state.local.counts())
    })
  }

  updateRemote(device: DeviceId, batch: readonly FileInfo[]): void {
    this.change((state) => {
      const holder = state.holder(device) ?? state.addHolder(device)
      for (const info of batch) {
        holder.sequence = Math.max(holder.sequence, info.sequence)
        const record = this.#encoder.encode(holder.number, info, info.sequence)
        const [first] = this.#put(state, holder, record)
        if (this.met.isWanted && first?.holder.number === LOCAL_NUMBER) this.met.note(first.row.head, record.head)
      }
    })
  }

  /** Removes up to `limit` records of a device; true when none are left. */
  dropSome(device: DeviceId, limit: number): boolean {
    if (this.#state.holder(device) === undefined) return true
    return this.change((state) => {
      const holder = state.holder(device)!
      // The sequence is reset first: after an interruption a full index is requested from the device.
      holder.sequence = 0
      const rows = this.#pageAll.all(holder.number, '', limit)
      for (const [name] of rows) this.#remove(state, holder, String(name))
      if (rows.length === limit) return false
      state.removeHolder(holder)
      return true
    })
  }

  /** The IDs of a new index, under which the records are announced from now on. */
  setIds(id: bigint): void {
    this.change((state) => state.setIds(id))
  }

  /** One batch: what `work` writes, and the state that it changes, are stored together or not at all. */
  change<T>(work: (state: FolderState) => T): T {
    return this.#commit(this.#state.clone(), work)
  }

  #commit<T>(draft: FolderState, work: (state: FolderState) => T): T {
    const before = this.#writer.written
    const result = inTransaction(this.database, () => {
      const value = work(draft)
      this.#writeMeta('state', draft.toText())
      return value
    })
    this.#state = draft
    this.#onCommit?.(this.#writer.written - before)
    return result
  }

  /** Returns the records of the name before: ours at least. */
  #put(state: FolderState, holder: Holder, record: EncodedRow): readonly Claimant[] {
    const { name } = record.head
    this.#touched.add(name)
    const own = state.holders[0]!
    // With many devices, most records are equal to ours: those of the others are not read then.
    if (holder !== own && state.holders.length > 2 && own.records > 0) {
      const ours = this.#claimant(own, name)
      if (ours !== undefined && this.#writer.putEqual(state, ours, this.#claimant(holder, name), { holder, record }))
        return [ours]
    }
    const claimants = this.claimants(name, state)
    this.#expectNew = claimants.length === 0
    this.#writer.put(state, claimants, holder, record)
    return claimants
  }

  #remove(state: FolderState, holder: Holder, name: string): void {
    this.#touched.add(name)
    this.#writer.remove(state, this.claimants(name, state), holder, name)
  }

  /** The records of a name, ours first. Devices without records are skipped: most folders have only ours. */
  claimants(name: string, state = this.#state): readonly Claimant[] {
    const claimants: Claimant[] = []
    for (const holder of state.holders) {
      const claimant = holder.records === 0 ? undefined : this.#claimant(holder, name)
      if (claimant !== undefined) claimants.push(claimant)
    }
    return claimants
  }

  #claimant(holder: Holder, name: string): Claimant | undefined {
    const row = this.#select.first(holder.number, name)
    return row === undefined ? undefined : { holder, row: this.reader.stored(holder.number, row) }
  }

  winner(claimants: readonly Claimant[]): Claimant | undefined {
    const heads = claimants.map(({ row }) => row.head)
    return claimants[findWinner(heads, this.#state.rules)]
  }
}
