import type { FolderTypeName } from '../config/config.ts'
import { REFUSALS, type RefusalCode } from '../refusals.ts'
import { diskReason, ignoredBy, type DiskCode, type DiskFacts } from './disk-reasons.ts'
import { FLAG_RECEIVE_ONLY, FLAG_IGNORED, isInvalid, type FileHead } from './file-info.ts'
import { itemState, type ItemState, type WaitingAction } from './item-state.ts'
import { otherReasons, type OtherCode, type OtherFacts } from './other-reasons.ts'
import { absenceReasons, folderPauseReason, type AbsenceFacts, type PauseFacts } from './pause-reasons.ts'
import type { Reason } from './reason.ts'
import { compareVersions } from './version-vector.ts'

/** Why a needed item is not here yet. */
export type WaitCode =
  | 'paused'
  | 'folder-error'
  | 'send-only'
  | 'downloading'
  | 'failed'
  | 'no-device'
  | 'queued'
  | 'scanning'
  | 'waiting'

/** Why a file is here or is not. */
type WhyCode =
  | DiskCode
  | OtherCode
  | 'deletion-ignored'
  | 'not-watched'
  | 'future'
  | 'paused'
  | 'folder-error'
  | 'send-only'
  | 'disagreement'
  | 'here'
  | 'gone'
  | 'held'
  | 'kept'
  | 'collected'
  | 'deleted'
  | 'deleted-elsewhere'
  | 'extra'
  | 'missing'
  | 'older'
  | 'still-here'
  | 'failed'
  | 'downloading'
  | 'queued'
  | 'waiting'
  | 'offered'
  | 'no-device'
  | 'device-paused'
  | 'metered'

/** Facts that apply to every item of a folder. */
export interface FolderFacts {
  readonly paused: boolean
  /** By what; absent where only the fact matters. */
  readonly pause?: PauseFacts | undefined
  readonly type: FolderTypeName
  /** Why it has stopped; empty while it has not. */
  readonly error: string
  readonly scanning: boolean
  /** Deletions of other devices are not applied. */
  readonly ignoreDelete?: boolean
  /** Why changes are only found by full scans; empty or absent while it is watched, or is not to be. */
  readonly watchError?: string
}

/** Progress of an item. `place` counts from 0. */
export type QueuePlace =
  | { readonly stage: 'downloading' }
  | { readonly stage: 'queued'; readonly place: number }
  | { readonly stage: 'waiting' }

export interface WaitFacts {
  readonly folder: FolderFacts
  readonly stage: QueuePlace['stage']
  readonly action: WaitingAction
  /** The error of the last attempt. */
  readonly problem: string | undefined
  /** Whether a connected device has it. */
  readonly held: boolean
}

/** The most important reason: those of the folder come before those of the item. */
export function waitReason({ folder, stage, action, problem, held }: WaitFacts): Reason<WaitCode> {
  const general = folderReason(folder)
  if (general !== undefined) return general
  if (stage === 'downloading') return { code: 'downloading', text: 'it is being downloaded now' }
  if (problem !== undefined) return failed(problem)
  if (action === 'download' && !held) return { code: 'no-device', text: NO_DEVICE }
  if (stage === 'queued') return { code: 'queued', text: 'it is in the queue' }
  if (folder.scanning) return { code: 'scanning', text: 'the folder is being scanned first' }
  return { code: 'waiting', text: 'it is waiting to be queued' }
}

const NO_DEVICE = 'no connected device has the newest version'

function folderReason({
  paused,
  pause,
  error,
  type,
}: FolderFacts): Reason<'paused' | 'folder-error' | 'send-only'> | undefined {
  if (paused) return folderPauseReason(pause ?? { by: 'user' })
  if (error !== '') return { code: 'folder-error', text: `the folder has stopped: ${error}`, cause: error }
  return type === 'sendonly'
    ? { code: 'send-only', text: 'the folder is send-only: changes of other devices are not applied' }
    : undefined
}

export interface WhyFacts {
  readonly folder: FolderFacts
  /** Undefined where the records suffice, or the disk was not read. */
  readonly disk?: DiskFacts | undefined
  /** Undefined: no device has announced it. */
  readonly records: { readonly local: FileHead | undefined; readonly global: FileHead } | undefined
  readonly problem: string | undefined
  /** Undefined for items that are not needed. */
  readonly queue: QueuePlace | undefined
  /** Names of the connected devices that have the newest version. */
  readonly offeredBy: readonly string[]
  /** Devices, by name, that have another opinion about the encryption of the folder. */
  readonly disagreements?: readonly { readonly device: string; readonly code: RefusalCode }[]
  /** The name of the device whose contested deletion our version settles. */
  readonly contestedBy?: string | undefined
  /** The name of the device that deleted a file which stays here. */
  readonly collectedFrom?: string | undefined
  /** The deletion guard holds the loss of the item, and of so many files. */
  readonly guarded?: { readonly side: 'local' | 'remote'; readonly files: number } | undefined
  /** The other devices of the folder. */
  readonly others?: readonly OtherFacts[]
  readonly absence?: AbsenceFacts | undefined
  /** The present time by the clock of this device. */
  readonly nowMs?: number
}

export interface ItemReasons {
  readonly state: ItemState | 'deleted' | 'unknown'
  readonly upToDate: boolean
  readonly reasons: readonly Reason<WhyCode>[]
}

/** All reasons for the state of one file, the most severe first. */
export function itemReasons(facts: WhyFacts): ItemReasons {
  const { folder, disk, records, problem, queue, contestedBy } = facts
  const general = folderReason(folder)
  const held = facts.guarded === undefined ? [] : [heldReason(facts.guarded)]
  const first = [...(general === undefined ? [] : [general]), ...held, ...(facts.disagreements ?? []).map(disagreement)]
  const collected = facts.collectedFrom === undefined ? undefined : collectedReason(facts.collectedFrom)
  if (records === undefined) {
    const own = collected ?? diskReason(disk)
    return { ...unknownOf(disk), reasons: [...first, own, ...(own.code === 'new' ? unwatched(folder) : [])] }
  }
  const isNewest = isUpToDate(records.local, records.global)
  const upToDate = isNewest && folder.error === '' && isSeen(records.local, disk)
  const own = collected ?? ownReason(records, disk, folder)
  // Nothing is known of the disk of a folder that has stopped: it may not be there.
  const isHidden = folder.error !== '' && ABOUT_THE_DISK.includes(own.code)
  // An item that could not be read is up to date by its record only.
  const waiting = folder.paused
    ? []
    : [
        ...(problem === undefined || own.code === 'unreadable' ? [] : [failed(problem)]),
        ...(isNewest ? [] : placeReason(queue)),
      ]
  return {
    state: stateOf(records.local, records.global),
    upToDate,
    reasons: [
      ...first,
      ...(isHidden ? [] : [own]),
      ...(upToDate && contestedBy !== undefined ? [kept(contestedBy)] : []),
      ...waiting,
      ...offers(records.global, facts, isNewest || own.code === 'ignored' || own.code === 'deletion-ignored'),
      ...(isNewest && folder.error === '' ? otherReasons(facts.others ?? [], records.global) : []),
      ...future(records.global, facts.nowMs),
    ],
  }
}

function disagreement({ device, code }: { readonly device: string; readonly code: RefusalCode }): Reason<WhyCode> {
  const { reason, remedy } = REFUSALS[code]
  return {
    code: 'disagreement',
    text: `${device} does not exchange the folder: ${reason}. ${remedy}`,
    cause: code,
    device,
  }
}

function unknownOf(disk: DiskFacts | undefined): Pick<ItemReasons, 'state' | 'upToDate'> {
  return { state: disk?.kind === 'ignored' ? 'ignored' : 'unknown', upToDate: false }
}

/** Reasons that say whether a file is on the disk. */
const ABOUT_THE_DISK: readonly WhyCode[] = ['here', 'gone', 'older', 'still-here', 'extra']

/** A record alone does not show that the file is there, and readable. */
function isSeen(local: FileHead | undefined, disk: DiskFacts | undefined): boolean {
  return local?.deleted === true || disk === undefined || disk.kind === 'present'
}

function isUpToDate(local: FileHead | undefined, global: FileHead): boolean {
  return local !== undefined && !isInvalid(local) && compareVersions(local.version, global.version) === 'equal'
}

/** Deleted items are not listed in a tree, but can be queried by name. */
function stateOf(local: FileHead | undefined, global: FileHead): ItemReasons['state'] {
  return global.deleted && (local === undefined || local.deleted) ? 'deleted' : itemState(local, global)
}

function ownReason(
  { local, global }: NonNullable<WhyFacts['records']>,
  disk: DiskFacts | undefined,
  { ignoreDelete }: FolderFacts,
): Reason<WhyCode> {
  if (disk?.kind === 'ignored') return ignoredBy(disk)
  if (local !== undefined && (local.localFlags & FLAG_IGNORED) !== 0)
    return { code: 'ignored', text: 'it is ignored here' }
  if (disk?.kind === 'absent') {
    return { code: 'gone', text: 'it was here at the last scan and is not now' }
  }
  if (disk !== undefined && disk.kind !== 'present') return diskReason(disk)
  if (isUpToDate(local, global)) {
    return global.deleted
      ? { code: 'deleted', text: 'it was deleted, here and elsewhere' }
      : { code: 'here', text: 'it is here, in the newest version' }
  }
  if (local !== undefined && (local.localFlags & FLAG_RECEIVE_ONLY) !== 0) {
    return {
      code: 'extra',
      text: 'it was changed here, in a receive-only folder: the change is not sent to other devices',
    }
  }
  if (local === undefined || (local.deleted && !global.deleted)) {
    return global.deleted
      ? { code: 'deleted-elsewhere', text: 'it was deleted elsewhere and never existed here' }
      : { code: 'missing', text: 'it is not here yet' }
  }
  if (global.deleted && ignoreDelete === true) return DELETION_IGNORED
  return global.deleted
    ? { code: 'still-here', text: 'it is here, but was deleted elsewhere' }
    : { code: 'older', text: 'it is here in an older version' }
}

const DELETION_IGNORED: Reason<'deletion-ignored'> = {
  code: 'deletion-ignored',
  text:
    'it is here, although it was deleted elsewhere: the folder ignores deletions (ignoreDelete), and stays out of ' +
    'sync. "folder set FOLDER --collect on" instead keeps files and stays in sync',
}

/** Beside a change that no scan has seen yet. */
function unwatched({ watchError = '' }: FolderFacts): readonly Reason<'not-watched'>[] {
  if (watchError === '') return []
  return [{ code: 'not-watched', text: `changes are only found by full scans: ${watchError}`, cause: watchError }]
}

/** Clocks of devices differ by less; file systems of cameras and archives may be a time zone off. */
const FUTURE_S = 26 * 3_600

/** A time in the future is that of a wrong clock: here, or where the file was changed. */
function future({ modifiedS, deleted }: FileHead, nowMs: number | undefined): readonly Reason<'future'>[] {
  if (nowMs === undefined || deleted || modifiedS - nowMs / 1_000 < FUTURE_S) return []
  const days = Math.round((modifiedS - nowMs / 1_000) / 86_400)
  const text =
    `its modification time is ${days} days in the future, by the clock of this device: either that clock is wrong, ` +
    'or the one of the device that changed it'
  return [{ code: 'future', text, cause: String(days) }]
}

function collectedReason(device: string): Reason<'collected'> {
  const text = `it is here, although ${device} deleted it: the folder keeps what other devices delete`
  return { code: 'collected', text, cause: device }
}

function heldReason({ files, side }: NonNullable<WhyFacts['guarded']>): Reason<'held'> {
  const text =
    side === 'local'
      ? `it is missing or empty here, as ${files} files are: the deletion guard holds that until you decide`
      : `another device has lost it, and ${files} files in all: the deletion guard holds that until you decide`
  return { code: 'held', text, cause: side }
}

function kept(device: string): Reason<'kept'> {
  return {
    code: 'kept',
    text: `${device} deleted it without having received this version: the deletion is later, but the file is kept`,
    cause: device,
  }
}

function failed(problem: string): Reason<'failed'> {
  return { code: 'failed', text: `the last attempt failed: ${problem}`, cause: problem }
}

function placeReason(queue: QueuePlace | undefined): readonly Reason<WhyCode>[] {
  switch (queue?.stage) {
    case undefined:
      return []
    case 'downloading':
      return [{ code: 'downloading', text: 'it is being downloaded now' }]
    case 'queued': {
      const place = queue.place + 1
      return [
        {
          code: 'queued',
          text: place === 1 ? 'it is the next to be downloaded' : `it is number ${place} in the queue`,
          place,
        },
      ]
    }
    case 'waiting':
      return [{ code: 'waiting', text: 'it is waiting to be queued' }]
  }
}

/** Nothing of an item that is settled, up to date or ignored here, is missing. */
function offers(
  global: FileHead,
  { offeredBy, absence }: Pick<WhyFacts, 'absence' | 'offeredBy'>,
  isSettled: boolean,
): readonly Reason<WhyCode>[] {
  if (offeredBy.length > 0) {
    return [{ code: 'offered', text: `connected devices that have the newest version: ${offeredBy.join(', ')}` }]
  }
  if (isSettled || global.deleted) return []
  return [{ code: 'no-device', text: NO_DEVICE }, ...(absence === undefined ? [] : absenceReasons(absence))]
}
