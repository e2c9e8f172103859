import { BLOCK_SIZE_BYTES_MIN } from '../core/records/blocks.ts'
import type { Event, EventType } from '../events/types.ts'

export type PullSource = 'network' | 'local_origin' | 'local_other' | 'skipped'

/** Work of a folder since the start. */
export interface FolderWork {
  readonly scans: number
  readonly scanMs: number
  readonly pulls: number
  readonly pullMs: number
  readonly scannedItems: number
  readonly hashedBytes: number
  /** Bytes of pulled files by source, with Syncthing's source names. */
  readonly pulledBytes: Readonly<Record<PullSource, number>>
  /** The same in blocks of the least size. */
  readonly pulledBlocks: Readonly<Record<PullSource, number>>
  /** Local files renamed to conflict copies because another version won. */
  readonly conflicts: number
  /** Bytes per second of a scan in progress; 0 without a scan, or while it is too short to measure. */
  readonly scanRate: number
  /** Since when something of the folder is missing here; undefined: nothing is. */
  readonly behindSinceMs: number | undefined
}

interface Tally {
  scans: number
  scanMs: number
  pulls: number
  pullMs: number
  scannedItems: number
  hashedBytes: number
  readonly pulledBytes: Record<PullSource, number>
  readonly pulledBlocks: Record<PullSource, number>
  conflicts: number
  scanRate: number
  behindSinceMs: number | undefined
  activity: Activity
  sinceMs: number
}

type Activity = 'scan' | 'pull' | 'none'

/** Counts the work of folders from their events. Not persisted. */
export class WorkCounters {
  /** The event types it subscribes to. */
  static readonly eventTypes: ReadonlySet<EventType> = new Set(['StateChanged', 'FolderScanProgress', 'FolderSummary'])
  readonly #folders = new Map<string, Tally>()

  readonly onEvent = (event: Event): void => {
    if (event.type === 'StateChanged') this.#changed(event.data.folder, activityIn(event.data.to), event.timeMs)
    else if (event.type === 'FolderScanProgress') this.#of(event.data.folder).scanRate = event.data.rate
    else if (event.type === 'FolderSummary') {
      const tally = this.#of(event.data.folder)
      tally.behindSinceMs = event.data.summary.needTotalItems > 0 ? (tally.behindSinceMs ?? event.timeMs) : undefined
    }
  }

  countScan(folder: string, scan: { readonly itemsSeen: number; readonly bytesHashed: number }): void {
    const tally = this.#of(folder)
    tally.scannedItems += scan.itemsSeen
    tally.hashedBytes += scan.bytesHashed
  }

  /** One block. */
  countPulled(folder: string, source: PullSource, sizeBytes: number): void {
    const { pulledBytes, pulledBlocks } = this.#of(folder)
    pulledBytes[source] += sizeBytes
    pulledBlocks[source] += Math.max(1, Math.ceil(sizeBytes / BLOCK_SIZE_BYTES_MIN))
  }

  countConflict(folder: string): void {
    this.#of(folder).conflicts++
  }

  remove(folder: string): void {
    this.#folders.delete(folder)
  }

  all(): ReadonlyMap<string, FolderWork> {
    return this.#folders
  }

  #changed(folder: string, to: Activity, nowMs: number): void {
    const tally = this.#of(folder)
    if (to === tally.activity) return
    const passedMs = Math.max(0, nowMs - tally.sinceMs)
    if (tally.activity === 'scan') {
      tally.scans++
      tally.scanMs += passedMs
      tally.scanRate = 0
    } else if (tally.activity === 'pull') {
      tally.pulls++
      tally.pullMs += passedMs
    }
    tally.activity = to
    tally.sinceMs = nowMs
  }

  #of(folder: string): Tally {
    let tally = this.#folders.get(folder)
    if (tally === undefined) {
      tally = {
        scans: 0,
        scanMs: 0,
        pulls: 0,
        pullMs: 0,
        scannedItems: 0,
        hashedBytes: 0,
        pulledBytes: { network: 0, local_origin: 0, local_other: 0, skipped: 0 },
        pulledBlocks: { network: 0, local_origin: 0, local_other: 0, skipped: 0 },
        conflicts: 0,
        scanRate: 0,
        behindSinceMs: undefined,
        activity: 'none',
        sinceMs: 0,
      }
      this.#folders.set(folder, tally)
    }
    return tally
  }
}

/** Preparing a pull counts as pulling; waiting for a lock counts as nothing. */
function activityIn(state: string): Activity {
  if (state === 'scanning') return 'scan'
  return state === 'syncing' || state === 'sync-preparing' ? 'pull' : 'none'
}
