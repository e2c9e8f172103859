import type { FileHead, FileInfo } from '../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../core/ids.ts'

/** Whose index: our own, or that of another device. */
export type IndexOwner = 'local' | DeviceId

export interface Counts {
  readonly files: number
  readonly directories: number
  readonly symlinks: number
  readonly deleted: number
  /** Bytes of live files, plus 128 for each live directory and symlink. */
  readonly bytes: number
}

export interface FolderCounts {
  readonly global: Counts
  readonly local: Counts
  readonly need: Counts
  readonly receiveOnlyChanged: Counts
}

/** What is recorded of one name at one moment: by us, and by whoever wins. */
export interface BothRecords {
  readonly local: FileInfo | undefined
  readonly global: FileInfo | undefined
  /** The devices that have what the winning record says, our own left out. */
  readonly holders: readonly DeviceId[]
}

/** What an index knows about itself as a whole. */
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

/** A name as lists show it, with the type of its newest version. */
export interface ListedName {
  readonly name: string
  readonly type: FileHead['type']
}

/** Some names in order, and the name to go on at; undefined: that was all. */
export interface ListStep {
  readonly found: readonly ListedName[]
  readonly next: string | undefined
}

/** Everything that is recorded of one name. */
export interface NameRecords {
  readonly name: string
  readonly global: FileHead
  readonly local: FileHead | undefined
  readonly others: ReadonlyMap<DeviceId, FileHead>
}

/** A name of ours by the number of its latest change. */
export interface OwnName {
  readonly sequence: number
  readonly name: string
  /** It exists and is not ignored. */
  readonly live: boolean
}

/** What a batch of records may hold; the record that reaches a limit is its last. */
export interface BatchLimits {
  readonly files: number
  readonly blocks: number
}

/**
 * The index of one folder. Names are ordered by their UTF-8 bytes everywhere. All promises resolve in the order asked,
 * and a batch is either wholly stored or not at all.
 */
export interface FolderIndex {
  /** Records after `afterName` at or below `within` ('' is everything), in order, without block lists. */
  page(
    owner: IndexOwner,
    options: { readonly within: string; readonly afterName: string; readonly limit: number },
  ): Promise<readonly FileHead[]>
  get(owner: IndexOwner, name: string): Promise<FileInfo | undefined>
  /** The same without the block list, for those who have no use for it: it need not be read and checked. */
  head(owner: IndexOwner, name: string): Promise<FileHead | undefined>
  /** The winning record among all devices. */
  global(name: string): Promise<FileInfo | undefined>
  /** Our record and the winning one in one look: half the price of two. */
  both(name: string): Promise<BothRecords>
  /** The devices whose record is the winning one, our own left out. */
  availability(name: string): Promise<readonly DeviceId[]>
  /** Stores our own records, giving each the next sequence number. Returns the last one given. */
  updateLocal(batch: readonly FileInfo[]): Promise<number>
  /** Stores records of another device with the sequence numbers it gave them. */
  updateRemote(device: DeviceId, batch: readonly FileInfo[]): Promise<void>
  /** Forgets everything a device told us about this folder. */
  dropDevice(device: DeviceId): Promise<void>
  /** Forgets our own records altogether (a record that must not be announced as deleted). */
  dropLocal(names: readonly string[]): Promise<void>
  /** Our live files with these blocks, for rename detection; at most `limit`. */
  localByBlocks(blocksHash: Uint8Array, limit: number): Promise<readonly FileHead[]>
  /**
   * Our live files that hold any of these blocks, with their block lists: each has some that those before it have not.
   * The first question after many changes takes a while.
   */
  localWithBlocks(
    hashes: readonly Uint8Array[],
    options: { readonly except: ReadonlySet<string>; readonly limit: number },
  ): Promise<readonly FileInfo[]>
  /** As of the last batch, and the same object until the next; undefined while the database is not at hand. */
  readonly totals: FolderTotals | undefined
  counts(): Promise<FolderCounts>
  sequence(owner: IndexOwner): Promise<number>
  /** Last sequence of every other device that has records here. */
  remoteSequences(): Promise<ReadonlyMap<DeviceId, number>>
  /** Needed items (their global records) in name order, those up to `afterName` and then `offset` skipped. */
  need(options: {
    readonly offset: number
    readonly limit: number
    readonly afterName?: string
  }): Promise<readonly FileHead[]>
  /**
   * Names that were written since the last call, whoever's records they are; some may be as they were. Undefined when
   * they were too many to remember, and at the first call. For one caller: what is told is forgotten.
   */
  takeTouched(): Promise<readonly string[] | undefined>
  /** Global records below a directory, name order. `levels` 0 is the directory itself only; undefined is all the way down. */
  browse(options: {
    readonly prefix: string
    readonly levels: number | undefined
    readonly directoriesOnly: boolean
  }): Promise<readonly TreeEntry[]>
  /** Names for people from `start` on ('' is the beginning), in order. Takes a few milliseconds; the rest is another question. */
  listNames(start: string): Promise<ListStep>
  /** The same for the names that stand in a directory itself ('' is the top). */
  listLevel(directory: string, start: string): Promise<ListStep>
  /** Which of these directories hold anything that lists show. */
  nonEmpty(directories: readonly string[]): Promise<ReadonlySet<string>>
  /** What is recorded of these names, in their order; those nobody knows are left out. */
  records(names: readonly string[]): Promise<readonly NameRecords[]>
  /** Some of our own names that changed after `sequence`, in the order in which they did. None: that was all. */
  ownSince(sequence: number): Promise<readonly OwnName[]>
  /** A random number that changes when the index begins anew: other devices then know that they must ask for all of it. */
  indexId(): Promise<bigint>
  /** Our own records that changed after `sequence`, in the order in which they did. */
  localSince(sequence: number, limits: BatchLimits): Promise<readonly FileInfo[]>
  /** The number by which a device called its index when it last told us of it; 0 when it never did. */
  remoteIndexId(device: DeviceId): Promise<bigint>
  /** Survives `dropDevice`: without records the number only says which index to ask for. */
  setRemoteIndexId(device: DeviceId, id: bigint): Promise<void>
  /** Global records that a device lacks, in name order, `offset` skipped. Looks at all of the index: gives way meanwhile. */
  remoteNeed(
    device: DeviceId,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly FileHead[]>
  /** The first answer for a device takes a look at all of the index, giving way meanwhile; from then on it is known. */
  remoteNeedCounts(device: DeviceId): Promise<Counts>
}

/** Small things that must survive a restart: statistics, sessions, tokens. */
export interface KeyValue {
  get(key: string): Promise<Uint8Array | undefined>
  set(key: string, value: Uint8Array): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string): Promise<readonly (readonly [key: string, value: Uint8Array])[]>
}

/** What happened to an index that could not be read. */
export interface Recovery {
  readonly folder: FolderId | undefined
  readonly reason: string
  /** Where the damaged files were put aside. */
  readonly keptAt: string
}

export interface IndexStore extends AsyncDisposable {
  readonly keyValue: KeyValue
  /** What was found damaged and rebuilt empty while opening, most recent last. */
  readonly recoveries: readonly Recovery[]
  /** Opens a folder's index, making it where there is none. The same object for the same id. */
  folder(id: FolderId): Promise<FolderIndex>
  /** Ids of all folders that have an index. */
  folders(): Promise<readonly FolderId[]>
  dropFolder(id: FolderId): Promise<void>
}
