/** A folder that downloads, as others see it. */
export interface DownloadingFolder {
  readonly priority: number
  /** Requests to other devices that have not ended. */
  readonly inFlight: number
  /** When the last one ended. */
  readonly lastMs: number
}

/** A folder without a request for so long does not use the connection; between two files there is less. */
export const QUIET_MS = 1_000
/** What a folder with a lower priority has in flight: it goes on, one block after the other. */
const LOW_IN_FLIGHT_MAX = 1

/** Whether a folder may send one more request, beside the others that download. */
export function mayRequest(own: DownloadingFolder, others: Iterable<DownloadingFolder>, nowMs: number): boolean {
  if (own.inFlight < LOW_IN_FLIGHT_MAX) return true
  for (const { priority, inFlight, lastMs } of others) {
    if (priority > own.priority && (inFlight > 0 || nowMs - lastMs < QUIET_MS)) return false
  }
  return true
}

/** Whether a folder begins at once, although as many download as may: only one above all of them. */
export function mayPullBeside(priority: number, pulling: Iterable<number>): boolean {
  let isAlone = true
  for (const other of pulling) {
    if (other >= priority) return false
    isAlone = false
  }
  return !isAlone
}
