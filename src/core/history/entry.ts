import { isConflictName } from '../paths.ts'
import type { ShortId } from '../ids.ts'
import { FLAG_IGNORED, FLAG_UNSUPPORTED, type FileHead, type FileType } from '../records/file-info.ts'

/**
 * How a change came to this device. `action`: by a request such as revert, override or a resolved conflict. `merge`: of
 * conflicting edits, or of a conflict copy.
 */
export const HISTORY_ORIGINS = ['scan', 'pull', 'action', 'restore', 'rewind', 'merge'] as const
export type HistoryOrigin = (typeof HISTORY_ORIGINS)[number]

/** What happened to an item. `baseline`: the items of the first scan, counted and not listed. */
export const HISTORY_KINDS = ['added', 'changed', 'metadata', 'deleted', 'ignored', 'conflict', 'baseline'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

/** An item as it was: enough to find its content again and to make it. */
export interface PastItem {
  readonly type: FileType
  readonly sizeBytes: number
  readonly modifiedS: number
  readonly modifiedNs: number
  /** Undefined where the record has none. */
  readonly permissions: number | undefined
  /** The hash over the block hashes, as base64url; empty without blocks. */
  readonly blocksHash: string
  readonly blockSizeBytes: number
  readonly symlinkTarget: string
}

/** An item as it became: of what it has more, the next entry of its name, or its record, is the witness. */
export type NewItem = Pick<PastItem, 'type' | 'sizeBytes' | 'blocksHash' | 'symlinkTarget'>

/** The items of the first scan. */
export interface BaselineCounts {
  readonly files: number
  readonly directories: number
  readonly symlinks: number
  readonly bytes: number
}

/** One change of one item on this device. */
export interface HistoryEntry {
  /** Where it is in the history; entries of later changes are greater. */
  readonly position: HistoryPosition
  /** By our clock. */
  readonly atMs: number
  /** Empty for the baseline. */
  readonly name: string
  readonly kind: HistoryKind
  readonly origin: HistoryOrigin
  /** Who made the version: this device, or another one. */
  readonly by: ShortId
  /** Devices that had the version when it was pulled; at most three. */
  readonly via: readonly ShortId[]
  /** Version vectors as text; empty without a record. */
  readonly fromVersion: string
  readonly toVersion: string
  /** Undefined where there was no item. */
  readonly before: PastItem | undefined
  readonly after: NewItem | undefined
  readonly baseline?: BaselineCounts | undefined
}

/** The batch with which an entry was stored, and its place there. */
export interface HistoryPosition {
  readonly batch: number
  readonly place: number
}

/** Whether an entry is before another one. */
export function isEarlier(a: HistoryPosition, b: HistoryPosition): boolean {
  return a.batch === b.batch ? a.place < b.place : a.batch < b.batch
}

export function positionText({ batch, place }: HistoryPosition): string {
  return `${batch}.${place}`
}

/** Undefined for a text that `positionText` does not write. */
export function parsePosition(text: string): HistoryPosition | undefined {
  const [, batch, place] = /^(\d{1,15})\.(\d{1,6})$/.exec(text) ?? []
  return batch === undefined ? undefined : { batch: Number(batch), place: Number(place) }
}

/** Whether the item of a record exists here and belongs to the folder. */
function isPresent(head: FileHead): boolean {
  return !head.deleted && (head.localFlags & (FLAG_IGNORED | FLAG_UNSUPPORTED)) === 0
}

/** The records of an item of ours before and after a change, with the hashes over their blocks as text. */
export interface RecordedChange {
  readonly before: FileHead | undefined
  readonly beforeHash: string
  readonly after: FileHead
  readonly afterHash: string
}

/** Undefined where nothing that a user could see has changed: versions and flags alone are no history. */
export function kindOfChange(change: RecordedChange): HistoryKind | undefined {
  const { before, after } = change
  if (before === undefined || !isPresent(before)) {
    if (!isPresent(after)) return undefined
    return isConflictName(after.name) ? 'conflict' : 'added'
  }
  if (!isPresent(after)) return after.deleted ? 'deleted' : 'ignored'
  if (before.type !== after.type) return 'changed'
  if (before.type === 'symlink') return before.symlinkTarget === after.symlinkTarget ? undefined : 'changed'
  if (before.type === 'file') {
    if (before.sizeBytes !== after.sizeBytes || change.beforeHash !== change.afterHash) return 'changed'
    if (before.modifiedS !== after.modifiedS || before.modifiedNs !== after.modifiedNs) return 'metadata'
  }
  const areModesSame = before.permissions === after.permissions || before.noPermissions || after.noPermissions
  return areModesSame ? undefined : 'metadata'
}

/** The item that a record makes; undefined where it has none. */
export function newItem(head: FileHead, blocksHash: string): NewItem | undefined {
  if (!isPresent(head)) return undefined
  const { type, sizeBytes, symlinkTarget } = head
  return { type, sizeBytes, blocksHash, symlinkTarget }
}

/** The item of a record; undefined where it has none. */
export function pastItem(head: FileHead | undefined, blocksHash: string): PastItem | undefined {
  if (head === undefined || !isPresent(head)) return undefined
  const { type, sizeBytes, modifiedS, modifiedNs, blockSizeBytes, symlinkTarget } = head
  const permissions = head.noPermissions ? undefined : head.permissions
  return { type, sizeBytes, modifiedS, modifiedNs, permissions, blocksHash, blockSizeBytes, symlinkTarget }
}
