import type { DeviceId, ShortId } from '../../core/ids.ts'
import type { FileHead, FileType } from '../../core/records/file-info.ts'
import type { DeviceVersion, ItemState, WaitingAction } from '../../core/records/item-state.ts'
import type { DiskFacts } from '../../core/records/disk-reasons.ts'
import type { FolderFacts, QueuePlace, WhyFacts } from '../../core/records/reasons.ts'
import type { NameRecords } from '../../db/types.ts'
import type { Paging } from '../types.ts'

/** One item for display: the global version, our state relative to it, and the versions of other devices. */
export interface Item {
  readonly records: NameRecords
  readonly state: ItemState
  /** Of a directory, in a tree: whether anything is in it. */
  readonly children?: boolean
  /** Every other device that the folder is shared with. */
  readonly devices: readonly { readonly deviceID: DeviceId; readonly version: DeviceVersion }[]
}

/** An item that is only on disk, because a pattern ignores it. */
export interface IgnoredItem {
  readonly name: string
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** Of a directory: whether anything is in it. */
  readonly children?: boolean
}

/** How a directory is sorted; directories come first in any case. */
export interface TreeOrder {
  readonly by: 'name' | 'size' | 'modified'
  readonly descending: boolean
}

export interface TreeOptions {
  /** Default: by name, ascending. */
  readonly order?: TreeOrder
  /** Also items of the disk that are ignored. */
  readonly withIgnored?: boolean
}

export interface TreePage {
  readonly total: number
  /** The directory holds more names than were read. */
  readonly truncated: boolean
  readonly items: readonly Item[]
  /** Ignored items that no index has, after all others; only on request. */
  readonly ignored: readonly IgnoredItem[]
}

export interface NameQuery {
  readonly text: string
  readonly limit: number
  /** The name behind which the search goes on; '' is the beginning. */
  readonly after: string
  /** It stops after this time of work, wherever it is. */
  readonly workMs: number
}

/** What one request of a search has found. */
export interface FoundItems {
  /** In the order of their names. */
  readonly items: readonly Item[]
  /** The name behind which the next request goes on; undefined: all names were searched. */
  readonly next: string | undefined
  /** How many names were compared. */
  readonly searched: number
  readonly workedMs: number
}

export interface WaitingItem {
  readonly records: NameRecords
  readonly action: WaitingAction
  readonly stage: QueuePlace['stage']
  readonly bytesDone: number
  readonly problem: string | undefined
  /** Devices that have the newest version, connected or not. */
  readonly holders: readonly DeviceId[]
}

/** A page by its number and, if known, an item next to it: the number then counts only if that is needed no more. */
export interface NextTo extends Paging {
  /** The last item of the page before. */
  readonly after?: string | undefined
  /** The first item of the next page. */
  readonly before?: string | undefined
}

export interface WaitingPage {
  readonly folder: FolderFacts
  readonly total: number
  readonly items: readonly WaitingItem[]
}

export interface FileFacts {
  readonly folder: FolderFacts
  /** Read only where the records do not explain the state; undefined otherwise. */
  readonly disk: DiskFacts | undefined
  /** Undefined: no device has announced it. */
  readonly records: NameRecords | undefined
  readonly problem: string | undefined
  /** Undefined for what is not needed. */
  readonly queue: QueuePlace | undefined
  readonly devices: Item['devices']
  /** The author of the deletion of a file that stays here. */
  readonly deletedBy?: ShortId | undefined
  /** The deletion guard holds the loss of it. */
  readonly guarded?: WhyFacts['guarded']
}

export interface PreviewedLine {
  readonly kind: 'ignore' | 'keep' | 'include' | 'other'
  /** Names that this line decides. */
  readonly matches: number
  readonly examples: readonly string[]
}

/** Names whose treatment other patterns would change, within limits of names and time. */
export interface IgnoreChange {
  readonly ignoredTotal: number
  readonly ignored: readonly string[]
  /** Ignored now, and not any more. */
  readonly announcedTotal: number
  readonly announced: readonly string[]
  readonly checkedTotal: number
  readonly truncated: boolean
}

/** The patterns that the devices of a folder share. */
export interface SharedIgnoresView {
  readonly enabled: boolean
  /** In force, or, where they are not enabled, those of the file. */
  readonly lines: readonly string[]
  /** Why the file is not used. */
  readonly problem: string | null
  /** What enabling them, or disabling them, would change here. */
  readonly change: IgnoreChange
}

export interface IgnorePreview {
  readonly error: string | null
  /** From 1; null when no single line is invalid by itself. */
  readonly errorLine: number | null
  readonly lines: readonly PreviewedLine[]
  readonly ignoredTotal: number
  readonly checkedTotal: number
  readonly truncated: boolean
}

export interface ConflictsPage {
  readonly total: number
  /** Conflict copies, and our record of the file that each is a copy of, where there is one. */
  readonly items: readonly (NameRecords & { readonly file: FileHead | undefined })[]
}
