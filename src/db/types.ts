import type { HistoryEntry, HistoryOrigin, PastItem } from '../core/history/entry.ts'
import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import type { DeviceId, FolderId, ShortId } from '../core/ids.ts'
import type { IndexPosition } from '../core/records/index-position.ts'
import type { VersionVector } from '../core/records/version-vector.ts'

/** The owner of an index: this device, or another one. */
export type IndexOwner = 'local' | DeviceId

export interface Counts {
  readonly files: number
  readonly directories: number
  readonly symlinks: number
  readonly deleted: number
  /** Bytes of live files. */
  readonly bytes: number
}

export interface FolderCounts {
  readonly global: Counts
  readonly local: Counts
  readonly need: Counts
  readonly receiveOnlyChanged: Counts
}

/** The local and the global record of one name, read together. */
export interface BothRecords {
  readonly local: FileInfo | undefined
  readonly global: FileInfo | undefined
  /** The devices that have the version of the global record, without our own. */
  readonly holders: readonly DeviceId[]
  /** The global record deletes an item that another device still has. */
  readonly heldElsewhere: boolean
  /** The deletions of the item by all devices, where the global record is one. */
  readonly deletions: readonly FileHead[]
}

/** Totals of a whole index. */
export interface FolderTotals {
  readonly counts: FolderCounts
  /** The last of our own sequence numbers. */
  readonly sequence: number
  /** Last sequence of every other device that has records here. */
  readonly remoteSequences: ReadonlyMap<DeviceId, number>
}

/** An entry of the global tree, as `GET /rest/db/browse` shows it. */
export interface TreeEntry {
  readonly name: string
  readonly type: FileHead['type']
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  readonly children: readonly TreeEntry[]
}

/** A name in a listing, with the type of its newest version. */
export interface ListedName {
  readonly name: string
  readonly type: FileHead['type']
}

/** Some names in order, and the name to continue at; undefined at the end. */
export interface ListStep {
  readonly found: readonly ListedName[]
  readonly next: string | undefined
}

/** A search in progress. Nothing is held open between its steps. */
export interface NameSearch {
  /** Less than a millisecond of work for most names. After `limit` names have been returned it is not called again. */
  step(limit: number): Promise<SearchStep>
  /** How many names have been compared until now. */
  readonly searched: number
}

export interface SearchStep {
  /** In order, up to the limit. */
  readonly found: readonly string[]
  /** All names up to this one, inclusive, have been searched; undefined: all names. */
  readonly searchedTo: string | undefined
}

/** Some items of the global tree in name order, and the name to continue at; undefined at the end. */
export interface GlobalStep {
  readonly found: readonly FileHead[]
  readonly next: string | undefined
}

/** All records of one name. */
export interface NameRecords {
  readonly name: string
  readonly global: FileHead
  readonly local: FileHead | undefined
  readonly others: ReadonlyMap<DeviceId, FileHead>
}

/** A name of ours with the sequence number of its latest change. */
export interface OwnName {
  readonly sequence: number
  readonly name: string
  /** It exists and is not ignored. */
  readonly live: boolean
}

/** Limits of a batch of records; the record that reaches a limit is its last. */
export interface BatchLimits {
  readonly files: number
  readonly blocks: number
}

/** Needed items in name order: those after a name, `offset` of them skipped, or the last ones before a name. */
export type NeededRange =
  | { readonly afterName: string; readonly offset: number; readonly limit: number }
  | { readonly beforeName: string; readonly limit: number }

/** The index is older than what other devices have received of it. */
export interface IndexRestart {
  /** Later records of ours may have been made without knowledge of what was lost. */
  readonly afterSequence: number
  readonly ownShortId: ShortId
  /** Versions with a counter of this ID are concurrent with what was lost already. */
  readonly temporaryId?: ShortId
}

/** Small files of which versions of two devices were stored. */
export interface MetVersions {
  /** Our records, where another device has the same version. */
  readonly shared: readonly FileHead[]
  /** Versions of which neither contains the other. */
  readonly concurrent: readonly { readonly local: FileHead; readonly remote: FileHead }[]
}

/** Reads and writes the items of a folder, of this device and of others. */
export interface Records {
  /** Another object after every change of our records; undefined while the database is busy or closed. */
  readonly localState: object | undefined
  /** Records after `afterName` at or below `within` ('' is everything), in order, without block lists. */
  page(
    owner: IndexOwner,
    options: { readonly within: string; readonly afterName: string; readonly limit: number },
  ): Promise<readonly FileHead[]>
  get(owner: IndexOwner, name: string): Promise<FileInfo | undefined>
  /** The same without the block list, which is then not read and checked. */
  head(owner: IndexOwner, name: string): Promise<FileHead | undefined>
  /** Those of many names, in one call. */
  heads(owner: IndexOwner, names: readonly string[]): Promise<readonly (FileHead | undefined)[]>
  /** The winning record among all devices. */
  global(name: string): Promise<FileInfo | undefined>
  /** Our record and the winning one in one call, at half the cost of two. */
  both(name: string): Promise<BothRecords>
  /** The same at once; undefined while the database is busy or closed. Throws where `both` rejects. */
  bothNow(name: string): BothRecords | undefined
  /** The devices whose record is the winning one, without our own. */
  availability(name: string): Promise<readonly DeviceId[]>
  /**
   * Stores our own records and assigns each the next sequence number. Returns the last one assigned. With an origin
   * their changes become history in the same transaction.
   */
  updateLocal(batch: readonly FileInfo[], origin?: HistoryOrigin): Promise<number>
  /** Sets the disk stamps of our records, by name. Nothing is announced: sequence numbers stay. */
  setDiskStamps(stamps: ReadonlyMap<string, number>): Promise<void>
  /** Stores records of another device with the sequence numbers that it assigned. */
  updateRemote(device: DeviceId, batch: readonly FileInfo[]): Promise<void>
  /** What was stored since the last call, from the first call on; bounded. For one caller only. */
  takeMet(): Promise<MetVersions>
  /** Removes all records of a device. */
  dropDevice(device: DeviceId): Promise<void>
  /** Our live files with these blocks, for rename detection; at most `limit`. */
  localByBlocks(blocksHash: Uint8Array, limit: number): Promise<readonly FileHead[]>
  /**
   * Our live files that hold any of these blocks, with their block lists: each adds blocks that those before it lack.
   * The first query after many changes takes longer.
   */
  localWithBlocks(
    hashes: readonly Uint8Array[],
    options: { readonly except: ReadonlySet<string>; readonly limit: number },
  ): Promise<readonly FileInfo[]>
}

/** What this device and others need, in which order, and how much it is. */
export interface Needs {
  /** As of the last batch, and the same object until the next; undefined while the database is busy or closed. */
  readonly totals: FolderTotals | undefined
  counts(): Promise<FolderCounts>
  /** Needed items (their global records) in name order, those up to `afterName` and then `offset` skipped. */
  need(options: {
    readonly offset: number
    readonly limit: number
    readonly afterName?: string
  }): Promise<readonly FileHead[]>
  /** Only the names, at a fraction of the cost, to find a place far down the list. */
  neededNames(range: NeededRange): Promise<readonly string[]>
  /** Names of our live records that win here, while a later deletion would win in Syncthing 2.x; in order. */
  contested(options: { readonly afterName: string; readonly limit: number }): Promise<readonly string[]>
  /**
   * Names that were written since the last call, for any device; some may be unchanged. Undefined when there were too
   * many to keep, and at the first call. For one caller only: each call clears the set.
   */
  takeTouched(): Promise<readonly string[] | undefined>
  /** Global records that a device needs, in name order, `offset` skipped. Reads the whole index, in short steps. */
  remoteNeed(
    device: DeviceId,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly FileHead[]>
  /** The first call for a device reads the whole index in short steps; later calls return the maintained counts. */
  remoteNeedCounts(device: DeviceId): Promise<Counts>
}

/** Items as trees, pages and searches show them. */
export interface Listing {
  /** Global records below a directory, in name order. `levels` 0: the directory itself only; undefined: unlimited. */
  browse(options: {
    readonly prefix: string
    readonly levels: number | undefined
    readonly directoriesOnly: boolean
  }): Promise<readonly TreeEntry[]>
  /** The winning record of an item that exists: not deleted, and valid on the device that has it. */
  globalItem(name: string): Promise<FileHead | undefined>
  /** The same for the direct children of a directory ('' is the root), from `start` on ('' is the beginning). */
  globalLevel(directory: string, start: string): Promise<GlobalStep>
  /** Listed names from `start` on ('' is the beginning), in order. Takes a few milliseconds; `next` continues. */
  listNames(start: string): Promise<ListStep>
  /** Listed names that match the text (`core/name-search.ts`), from behind `after` on ('' is the beginning). */
  search(text: string, after: string): NameSearch
  /** The same for the direct children of a directory ('' is the root). */
  listLevel(directory: string, start: string): Promise<ListStep>
  /** Which of these directories have listed children. */
  nonEmpty(directories: readonly string[]): Promise<ReadonlySet<string>>
  /** The records of these names, in their order; unknown names are left out. */
  recordsOf(names: readonly string[]): Promise<readonly NameRecords[]>
  /** Some of our own names that changed after `sequence`, in order of change. An empty result is the end. */
  ownSince(sequence: number): Promise<readonly OwnName[]>
}

/** The index of this device, and those that others announced. */
export interface IndexPositions {
  readonly own: IndexPosition
  readonly others: ReadonlyMap<DeviceId, IndexPosition>
}

/** How far the indexes of devices were exchanged, and under which IDs. */
export interface ExchangeState {
  sequence(owner: IndexOwner): Promise<number>
  /** Last sequence of every other device that has records here. */
  remoteSequences(): Promise<ReadonlyMap<DeviceId, number>>
  /** Our own records that changed after `sequence`, in order of change. */
  localSince(sequence: number, limits: BatchLimits): Promise<readonly FileInfo[]>
  /** The last sequence sent to a device; undefined in an index of an earlier release, which did not record it. */
  sentSequence(device: DeviceId): Promise<number | undefined>
  /** To be stored before the records are sent: a device that has more shows that this index went back. */
  setSentSequence(device: DeviceId, sequence: number): Promise<void>
  /** A random number that changes when the index is reset, so that other devices request a full index. */
  indexId(): Promise<bigint>
  /** The index id that a device last announced; 0 when it never did. */
  remoteIndexId(device: DeviceId): Promise<bigint>
  /** Of all indexes at once. */
  positions(): Promise<IndexPositions>
  /** Survives `dropDevice`: without records the id only selects the index to request. */
  setRemoteIndexId(device: DeviceId, id: bigint): Promise<void>
  /**
   * The ID under which this device counts its changes in version vectors. Every new index has its own: it does not know
   * what the device counted before, so its versions must not look like successors of those, nor like older ones.
   * Undefined in an index of an earlier release, which counts under the short ID of the device.
   */
  counterId(): Promise<ShortId | undefined>
  /** Whether its IDs were made since it was opened: then no earlier state of it exists elsewhere. */
  hasNewIds(): Promise<boolean>
  /** The smallest counter that may be used next; 0 when none was stored. */
  minCounter(): Promise<number>
  setMinCounter(value: number): Promise<void>
  /** Takes new IDs, as a new index does, and recounts our own records after a sequence. */
  restart(request: IndexRestart): Promise<void>
}

/** Some entries of a history, and the batch to continue at; undefined at the end. */
export interface HistoryStep {
  readonly entries: readonly HistoryEntry[]
  readonly next: number | undefined
  /** Rows between them were damaged. */
  readonly hasGap: boolean
}

/** What changed here, and when. */
export interface History {
  /** The first scan has ended: changes are recorded from now on. */
  begin(): Promise<void>
  /** From when on the history is complete, by our clock; undefined until the first scan has ended. */
  sinceMs(): Promise<number | undefined>
  /** The next change of these names that a scan finds is a version that a user restored. */
  expectRestored(names: readonly string[]): Promise<void>
  /** Until the next call, these items count as rewound where a scan finds them with that content. */
  expectRewound(items: ReadonlyMap<string, PastItem>): Promise<void>
  /** The number of the last batch; 0 when there is none. */
  lastBatch(): Promise<number>
  /** The last batch that was stored at a time or before it; 0 when there is none. */
  lastBatchAt(timeMs: number): Promise<number>
  /** Entries of the batches after one, oldest first. */
  after(batch: number): Promise<HistoryStep>
  /** Entries of the batches before one, newest first. */
  before(batch: number, wanted?: HistoryWanted): Promise<HistoryStep>
}

/** What of the history is wanted: batches without it are left out, and others are returned whole. */
export interface HistoryWanted {
  /** An item and what is below it; '' is everything. */
  readonly path?: string
  /** A step ends with the batch in which this many entries are reached. */
  readonly entriesMax?: number
}

/**
 * The index of one folder, in five roles over one database: a caller takes the one it needs. Names are ordered by their
 * UTF-8 bytes everywhere. All promises resolve in call order, and a batch is stored completely or not at all.
 */
export interface FolderIndex {
  readonly records: Records
  readonly needs: Needs
  readonly listing: Listing
  readonly exchange: ExchangeState
  readonly history: History
}

/** A version whose content is stored as a base of merges. */
export interface BaseVersion {
  readonly version: VersionVector
  /** For `Bases.content`. */
  readonly content: number
}

export interface NewBase extends Pick<BaseVersion, 'version'> {
  readonly name: string
  readonly content: Uint8Array
}

/** Contents of versions that other devices had, too. All of them may be missing at any time. */
export interface Bases {
  put(folder: FolderId, bases: readonly NewBase[]): Promise<void>
  /** The stored versions of a name, the newest first. */
  of(folder: FolderId, name: string): Promise<readonly BaseVersion[]>
  content(id: number): Promise<Uint8Array | undefined>
  dropFolder(folder: FolderId): Promise<void>
}

/** Small values that must survive a restart: statistics, sessions, tokens. */
export interface KeyValue {
  get(key: string): Promise<Uint8Array | undefined>
  set(key: string, value: Uint8Array): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string): Promise<readonly (readonly [key: string, value: Uint8Array])[]>
}

/** Describes the recovery of a damaged index. */
export interface Recovery {
  readonly folder: FolderId | undefined
  readonly reason: string
  /** Path of the damaged files. */
  readonly keptAt: string
}

/** The work on one index since it was opened. */
export interface IndexWork {
  readonly queries: number
  readonly queryMs: number
  readonly changes: number
  readonly changeMs: number
  /** Stored or removed by these changes. */
  readonly records: number
}

export interface IndexStore extends AsyncDisposable {
  readonly keyValue: KeyValue
  readonly bases: Bases
  /** Databases that were damaged and replaced by empty ones, most recent last. */
  readonly recoveries: readonly Recovery[]
  /** Opens a folder's index and creates a missing one. The same object for the same id. */
  folder(id: FolderId): Promise<FolderIndex>
  /** Ids of all folders that have an index. */
  folders(): Promise<readonly FolderId[]>
  dropFolder(id: FolderId): Promise<void>
}
