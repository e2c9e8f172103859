import type { FolderIndex, FolderTotals } from '../../db/types.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { Folder } from '../folder/folder.ts'
import type { FolderStatus } from '../types.ts'

const NO_COUNTS = { files: 0, directories: 0, symlinks: 0, deleted: 0, bytes: 0 }

/** Of a folder whose index is not read. */
export const NO_TOTALS = {
  sequence: 0,
  remoteSequences: undefined,
  counts: { global: NO_COUNTS, local: NO_COUNTS, need: NO_COUNTS, receiveOnlyChanged: NO_COUNTS },
}

export const PAUSED_STATUS: FolderStatus = {
  state: '',
  stateChangedMs: 0,
  error: '',
  errorCount: 0,
  watchError: '',
  ignorePatterns: false,
  ...NO_TOTALS,
}

/** Before the start, as while an index is imported. */
export const WAITING_STATUS: FolderStatus = { ...PAUSED_STATUS, state: 'scan-waiting' }

type OwnStatus = ReturnType<Folder['status']>

/** The inputs of a cached status. */
interface Known {
  readonly index: FolderIndex
  readonly totals?: FolderTotals
  readonly own?: OwnStatus
  readonly fetchedBytes?: number
  readonly status?: FolderStatus
}

/**
 * The status of running folders without waiting. Clients poll it while nothing changes: they get the same object then,
 * which shows that it is unchanged.
 */
export class KnownStatuses {
  readonly #known = new WeakMap<Folder, Known>()

  /** The open index of a folder; it stays the same while the folder runs. */
  setIndex(running: Folder, index: FolderIndex): FolderIndex {
    if (this.#known.get(running)?.index !== index) this.#known.set(running, { index })
    return index
  }

  /** False also when the index has to be queried. */
  needsNothing(running: Folder): boolean {
    const need = this.#known.get(running)?.index.needs.totals?.counts.need
    if (need === undefined || !running.jobs.isEmpty) return false
    return need.files + need.directories + need.symlinks + need.deleted === 0
  }

  /** Undefined when the index has to be queried. */
  get(running: Folder): FolderStatus | undefined {
    const before = this.#known.get(running)
    const totals = before?.index.needs.totals
    if (before === undefined || totals === undefined) return undefined
    const own = running.status()
    const fetchedBytes = sumFetched(running.pulling.values())
    if (totals === before.totals && fetchedBytes === before.fetchedBytes && isSame(own, before.own))
      return before.status
    const status = makeStatus(own, totals, fetchedBytes)
    this.#known.set(running, { index: before.index, totals, own, fetchedBytes, status })
    return status
  }
}

export function statusOf(running: Folder, totals: FolderTotals): FolderStatus {
  return makeStatus(running.status(), totals, sumFetched(running.pulling.values()))
}

/** Bytes in temporary files are not needed any more: the number decreases during the download of one large file. */
function makeStatus(
  own: OwnStatus,
  { sequence, remoteSequences, counts }: FolderTotals,
  fetchedBytes: number,
): FolderStatus {
  const need = { ...counts.need, bytes: Math.max(0, counts.need.bytes - fetchedBytes) }
  return { ...own, sequence, remoteSequences, counts: { ...counts, need } }
}

function sumFetched(pulling: Iterable<PullProgress>): number {
  let fetchedBytes = 0
  for (const { bytesDone } of pulling) fetchedBytes += bytesDone
  return fetchedBytes
}

function isSame(own: OwnStatus, before: OwnStatus | undefined): boolean {
  return (
    before !== undefined &&
    own.state === before.state &&
    own.stateChangedMs === before.stateChangedMs &&
    own.error === before.error &&
    own.errorCount === before.errorCount &&
    own.watchError === before.watchError &&
    own.ignorePatterns === before.ignorePatterns
  )
}
