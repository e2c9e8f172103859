import type { FolderConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import type { FolderLive, LiveState } from '../live/state.ts'
import { causeOf, isDirectoryGone, type CauseCode } from '../../src/core/remedies/cause.ts'
import { groupByCause, type ItemProblem } from './cause.ts'
import type { Tone } from '../base/tone.ts'
import { scheduledPause } from './scheduled.ts'

/** What a folder does or lacks; the most severe one that is true. */
export type FolderCode =
  | 'paused'
  | 'starting'
  | 'stopped'
  | 'held'
  | 'problems'
  | 'downloading'
  | 'preparing'
  | 'sendOnly'
  | 'sourceOffline'
  | 'waiting'
  | 'extra'
  | 'conflicts'
  | 'scanning'
  | 'scanWaiting'
  | 'cleaning'
  | 'unshared'
  | 'upToDate'

const FOLDER_TONES: Readonly<Record<FolderCode, Tone>> = {
  paused: 'paused',
  starting: 'wait',
  stopped: 'bad',
  held: 'bad',
  problems: 'bad',
  downloading: 'busy',
  preparing: 'busy',
  sendOnly: 'wait',
  sourceOffline: 'away',
  waiting: 'wait',
  extra: 'wait',
  conflicts: 'wait',
  scanning: 'busy',
  scanWaiting: 'busy',
  cleaning: 'busy',
  unshared: 'off',
  upToDate: 'good',
}

/** The state of a folder, as every view shows it. Flat, so that two of them are compared field by field. */
export interface FolderState {
  readonly code: FolderCode
  readonly tone: Tone
  /** Why it has stopped, or the cause of most of its problems. */
  readonly cause: CauseCode | undefined
  /** Items that failed. Those without a source are not among them: they only wait. */
  readonly problems: number
  /** Items that are not here yet. */
  readonly waiting: number
  readonly bytesLeft: number
  /** Items changed here in a folder that only receives. */
  readonly extra: number
  /** Conflict copies that are here. */
  readonly conflicts: number
  /** From 0 to 1, during a transfer or a scan. */
  readonly fraction: number | undefined
  /** The device that has the missing items and is offline; empty where there are several or none. */
  readonly source: string
  /** Whether the counts of files are known: they are not while the folder does not run. */
  readonly isCounted: boolean
}

/** Decides the state of a folder from all that is known. */
export function folderState(state: LiveState, given: FolderConfig): FolderState {
  const folder = state.config?.folders.find(({ id }) => id === given.id) ?? given // the caller's may be older
  const live = lookUp(state.folders, folder.id)
  const isPaused = folder.paused || scheduledPause(state, 'folder', folder.id) !== undefined
  const isRunning = !isPaused && live !== undefined && live.status.state !== ''
  const counts = countsOf(isRunning ? live : undefined)
  const offline = offlineSources(state, folder, live)
  const code = isRunning ? codeOf(state, folder, live, counts, offline) : isPaused ? 'paused' : notRunning(live)
  return {
    code,
    tone: FOLDER_TONES[code],
    cause: isRunning || code === 'stopped' ? causeIn(code, live) : undefined,
    ...counts,
    conflicts: lookUp(state.conflicts, folder.id) ?? 0,
    fraction: isRunning ? fractionOf(live, counts.bytesLeft) : undefined,
    source: code === 'sourceOffline' && offline.length === 1 ? (offline[0] ?? '') : '',
    isCounted: isRunning,
  }
}

function notRunning(live: FolderLive | undefined): FolderCode {
  return live !== undefined && stopReason(live) !== '' ? 'stopped' : 'starting'
}

type Counts = Pick<FolderState, 'problems' | 'waiting' | 'bytesLeft' | 'extra'>

function countsOf(live: FolderLive | undefined): Counts {
  if (live === undefined) return { problems: 0, waiting: 0, bytesLeft: 0, extra: 0 }
  const { pullErrors, errors, needTotalItems, needBytes, receiveOnlyTotalItems } = live.status
  const failed = Math.max(pullErrors, errors)
  const unavailable = Math.min(failed, withoutSource(live.errors))
  return {
    problems: failed - unavailable,
    waiting: needTotalItems - heldDeletions(live),
    bytesLeft: needBytes,
    extra: receiveOnlyTotalItems,
  }
}

/** While the guard holds a loss by others, needed deletions wait for the user, not for a device. */
function heldDeletions({ guard, status }: FolderLive): number {
  const held = guard?.held.find(({ side }) => side === 'remote')
  return held === undefined ? 0 : Math.min(status.needTotalItems, status.needDeletes + held.truncations)
}

function withoutSource(errors: readonly ItemProblem[] | undefined): number {
  return (errors ?? []).filter(({ error }) => causeOf(error) === 'noSource').length
}

/** Why the folder does not run; empty while it does. A watched directory that is gone counts before the next scan. */
export function stopReason({ status }: FolderLive): string {
  if (status.error !== '') return status.error
  if (status.state === 'error' || status.invalid) return status.invalid || 'error'
  return isDirectoryGone(status.watchError ?? '') ? 'folder path missing' : ''
}

function causeIn(code: FolderCode, live: FolderLive | undefined): CauseCode | undefined {
  if (live === undefined) return undefined
  if (code === 'stopped') return causeOf(stopReason(live))
  if (code !== 'problems') return undefined
  const [largest] = groupByCause(live.errors ?? [])
  return largest === undefined || largest.code === 'noSource' ? 'other' : largest.code
}

function codeOf(
  state: LiveState,
  folder: FolderConfig,
  live: FolderLive,
  { problems, waiting, extra }: Counts,
  offline: readonly string[],
): FolderCode {
  if (stopReason(live) !== '') return 'stopped'
  if ((live.guard?.held.length ?? 0) > 0) return 'held'
  if (problems > 0) return 'problems' // also while they are retried
  const work = WORK[live.status.state]
  if (waiting > 0) {
    if (folder.type === 'sendonly') return 'sendOnly'
    if (work === 'downloading' || work === 'preparing') return work
    if (offline.length > 0) return 'sourceOffline'
    if (work === undefined) return 'waiting'
  }
  if (extra > 0) return 'extra'
  if ((lookUp(state.conflicts, folder.id) ?? 0) > 0) return 'conflicts'
  if (work !== undefined) return work
  return othersOf(state, folder).length === 0 ? 'unshared' : 'upToDate'
}

const WORK: Readonly<Record<string, FolderCode>> = {
  scanning: 'scanning',
  'scan-waiting': 'scanWaiting',
  syncing: 'downloading',
  'sync-waiting': 'preparing',
  'sync-preparing': 'preparing',
  cleaning: 'cleaning',
  'clean-waiting': 'cleaning',
}

function othersOf(state: LiveState, folder: FolderConfig): readonly string[] {
  return folder.devices.map(({ deviceID }): string => deviceID).filter((id) => id !== state.system?.myID)
}

/**
 * The devices that have the missing items and are not connected. Empty while a connected one has all of them, and
 * where it is unknown who has them.
 */
function offlineSources(state: LiveState, folder: FolderConfig, live: FolderLive | undefined): readonly string[] {
  const others = othersOf(state, folder)
  const isOn = (id: string) => lookUp(state.connections.connections, id)?.connected === true
  const whole = others.filter((id) => {
    const reported = live?.completion[id]
    return reported !== undefined && reported.remoteState !== 'notSharing' && reported.needItems === 0
  })
  if (whole.some(isOn)) return []
  if (whole.length > 0) return whole
  return others.some(isOn) ? [] : others
}

/** What is still needed is not all there: below 1 as long as items are missing. */
function fractionOf({ status, scan }: FolderLive, bytesLeft: number): number | undefined {
  if (status.state === 'scanning')
    return scan === undefined || scan.total === 0 || scan.counted === false ? undefined : scan.current / scan.total
  if (status.state !== 'syncing') return undefined
  const done = status.globalBytes === 0 ? 0 : 1 - bytesLeft / status.globalBytes
  return status.needTotalItems > 0 ? Math.min(done, 0.99) : done
}
