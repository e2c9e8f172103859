import type { FolderIndex, FolderTotals } from '../../db/types.ts'
import type { PullProgress } from '../puller/file-progress.ts'
import type { RunningFolder } from '../folder/running-folder.ts'
import type { FolderStatus } from '../types.ts'

type OwnStatus = ReturnType<RunningFolder['status']>

/** What a status was made of. */
interface Known {
  readonly index: FolderIndex
  readonly totals?: FolderTotals
  readonly own?: OwnStatus
  readonly fetchedBytes?: number
  readonly status?: FolderStatus
}

/**
 * The status of running folders without waiting. Pages ask for it again and again while nothing happens: they get the
 * same object then, and know by that that nothing has changed.
 */
export class KnownStatuses {
  readonly #known = new WeakMap<RunningFolder, Known>()

  /** The index of a folder, once it is open: it stays the same as long as the folder runs. */
  remember(running: RunningFolder, index: FolderIndex): void {
    if (this.#known.get(running)?.index !== index) this.#known.set(running, { index })
  }

  /** Undefined when the index has to be asked in its turn. */
  get(running: RunningFolder): FolderStatus | undefined {
    const before = this.#known.get(running)
    const totals = before?.index.totals
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

export function statusOf(running: RunningFolder, totals: FolderTotals): FolderStatus {
  return makeStatus(running.status(), totals, sumFetched(running.pulling.values()))
}

/** What lies in temporary files already is needed no more: people watch the number go down while one large file comes. */
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
