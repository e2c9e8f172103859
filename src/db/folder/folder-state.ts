import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import { countsAsLocal, countsAsReceiveOnlyChanged, OWN_RULES, type ConflictRules } from '../../core/records/need.ts'
import type { Random } from '../../platform/random.ts'
import { addToDigest, removeFromDigest } from '../sqlite/checksum.ts'
import { Tally, type TallyText } from './counts.ts'
import { NeedTallies } from './need-tallies.ts'
import type { HistoryTotals } from '../history/history-writer.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import type { Counts, FolderCounts, FolderTotals, IndexOwner } from '../types.ts'

/** A device that has records in a folder. Rows carry its number instead of its long id. */
export interface Holder {
  readonly number: number
  readonly owner: IndexOwner
  sequence: number
  records: number
}

/** What an index is opened with. */
export interface FolderOptions {
  readonly folder: FolderId
  readonly random: Random
  readonly rules?: ConflictRules | undefined
}

interface StateText {
  readonly folder: FolderId
  readonly indexId: string
  /** Not in an index of earlier releases. */
  readonly counterId?: string
  readonly digest: number
  /** Only files have bytes; not in an index of earlier releases. */
  readonly filesOnly?: true
  readonly global: TallyText
  readonly local: TallyText
  readonly need: TallyText
  readonly receiveOnlyChanged: TallyText
  readonly holders: readonly (readonly [number, IndexOwner, number, number])[]
  /** What the holder with this number has of the global records; not in an index of earlier releases. */
  readonly having?: readonly (readonly [number, TallyText])[]
  /** Not before the first scan has ended. */
  readonly history?: HistoryTotals
}

/**
 * The totals of an index. Stored as one entry in the transaction of every batch, so that it always matches the records.
 * A batch works on a clone and discards it on failure.
 */
export class FolderState {
  readonly folder: FolderId
  indexId: bigint
  /** Undefined in an index of an earlier release: changes are counted under the short ID of the device. */
  counterId: ShortId | undefined
  /** Not stored. */
  rules = OWN_RULES
  /** Not stored: the IDs were made by this process. */
  hasNewIds = false
  digest = 0
  global = new Tally()
  local = new Tally()
  need = new Tally()
  receiveOnlyChanged = new Tally()
  remoteNeeds = new NeedTallies()
  /** The local device first, then the others by id: of equal records the first in this order wins. */
  holders: Holder[] = [{ number: LOCAL_NUMBER, owner: 'local', sequence: 0, records: 0 }]
  /** Undefined until the first scan has ended. */
  history: HistoryTotals | undefined
  #totals: FolderTotals | undefined

  constructor(folder: FolderId, indexId: bigint) {
    this.folder = folder
    this.indexId = indexId
  }

  /** The state of a new index. */
  static fresh(folder: FolderId, id: bigint): FolderState {
    const state = new FolderState(folder, id)
    state.setIds(id)
    return state
  }

  setIds(id: bigint): void {
    this.indexId = id
    this.counterId = id as ShortId
    this.hasNewIds = true
  }

  clone(): FolderState {
    const copy = new FolderState(this.folder, this.indexId)
    copy.counterId = this.counterId
    copy.rules = this.rules
    copy.hasNewIds = this.hasNewIds
    copy.digest = this.digest
    copy.global = this.global.clone()
    copy.local = this.local.clone()
    copy.need = this.need.clone()
    copy.receiveOnlyChanged = this.receiveOnlyChanged.clone()
    copy.remoteNeeds = this.remoteNeeds.clone()
    copy.holders = this.holders.map((holder) => ({ ...holder }))
    copy.history = this.history
    return copy
  }

  holder(owner: IndexOwner): Holder | undefined {
    return this.holders.find((holder) => holder.owner === owner)
  }

  addHolder(owner: DeviceId): Holder {
    const number = this.holders.reduce((most, holder) => Math.max(most, holder.number), 0) + 1
    const holder: Holder = { number, owner, sequence: 0, records: 0 }
    this.holders.push(holder)
    const [own, ...others] = this.holders
    others.sort((a, b) => (a.owner < b.owner ? -1 : 1))
    this.holders = [own!, ...others]
    this.remoteNeeds.begin(owner)
    return holder
  }

  removeHolder(holder: Holder): void {
    this.holders = this.holders.filter((other) => other !== holder)
    if (holder.owner !== 'local') this.remoteNeeds.drop(holder.owner)
  }

  /** One row more (`sign` 1) or less of a holder. */
  countRow(holder: Holder, record: FileHead, rowSum: number, sign: 1 | -1): void {
    holder.records += sign
    this.digest = sign === 1 ? addToDigest(this.digest, rowSum) : removeFromDigest(this.digest, rowSum)
    if (holder.number !== LOCAL_NUMBER) return
    if (countsAsLocal(record)) this.local.add(record, sign)
    if (countsAsReceiveOnlyChanged(record)) this.receiveOnlyChanged.add(record, sign)
  }

  /** One global record more or less. */
  countWinner(record: FileHead, needed: boolean, sign: 1 | -1): void {
    if (!isInvalid(record)) this.global.add(record, sign)
    if (needed) this.need.add(record, sign)
  }

  /** What another device needs; undefined: it was never counted. */
  remoteNeed(device: DeviceId): Counts | undefined {
    const having = this.holder(device) === undefined ? new Tally() : this.remoteNeeds.having(device)
    return having === undefined ? undefined : this.global.liveWithout(having).counts()
  }

  /** The count of a device's need is complete. */
  setRemoteNeed(device: DeviceId, need: Tally): void {
    this.remoteNeeds.set(device, this.global.liveWithout(need))
  }

  counts(): FolderCounts {
    return {
      global: this.global.counts(),
      local: this.local.counts(),
      need: this.need.counts(),
      receiveOnlyChanged: this.receiveOnlyChanged.counts(),
    }
  }

  /** Only for a stored state, which no longer changes. */
  totals(): FolderTotals {
    this.#totals ??= {
      counts: this.counts(),
      sequence: this.holder('local')?.sequence ?? 0,
      remoteSequences: this.remoteSequences(),
    }
    return this.#totals
  }

  remoteSequences(): ReadonlyMap<DeviceId, number> {
    const sequences = new Map<DeviceId, number>()
    for (const { owner, sequence, records } of this.holders) {
      if (owner !== 'local' && records > 0) sequences.set(owner, sequence)
    }
    return sequences
  }

  toText(): string {
    const having = this.holders.flatMap(({ number, owner }) => {
      const tally = owner === 'local' ? undefined : this.remoteNeeds.having(owner)
      return tally === undefined ? [] : [[number, tally.toText()] as const]
    })
    const text: StateText = {
      folder: this.folder,
      indexId: this.indexId.toString(16),
      ...(this.counterId !== undefined && { counterId: this.counterId.toString(16) }),
      digest: this.digest,
      filesOnly: true,
      global: this.global.toText(),
      local: this.local.toText(),
      need: this.need.toText(),
      receiveOnlyChanged: this.receiveOnlyChanged.toText(),
      holders: this.holders.map(({ number, owner, sequence, records }) => [number, owner, sequence, records]),
      ...(having.length > 0 && { having }),
      ...(this.history !== undefined && { history: this.history }),
    }
    return JSON.stringify(text)
  }

  /** Only for text from `toText` whose checksum has been verified. */
  static fromText(text: string): FolderState {
    const stored = JSON.parse(text) as StateText
    const state = new FolderState(stored.folder, BigInt(`0x${stored.indexId}`))
    if (stored.counterId !== undefined) state.counterId = BigInt(`0x${stored.counterId}`) as ShortId
    state.digest = stored.digest
    const tallyOf = (tally: TallyText) => (stored.filesOnly ? Tally.fromText(tally) : Tally.fromEarlierText(tally))
    state.global = tallyOf(stored.global)
    state.local = tallyOf(stored.local)
    state.need = tallyOf(stored.need)
    state.receiveOnlyChanged = tallyOf(stored.receiveOnlyChanged)
    state.holders = stored.holders.map(([number, owner, sequence, records]) => ({ number, owner, sequence, records }))
    for (const [place, having] of stored.having ?? []) {
      const owner = state.holders.find(({ number }) => number === place)?.owner
      if (owner !== undefined && owner !== 'local') state.remoteNeeds.set(owner, Tally.fromText(having))
    }
    state.history = stored.history
    return state
  }
}
