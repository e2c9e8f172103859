import type { FileHead } from '../core/records/file-info.ts'

/** An item that could not be scanned, with the error text of `GET /rest/folder/errors`. */
export interface ScanProblem {
  readonly path: string
  readonly error: string
}

export interface ScanResult {
  /** Records written to the index. */
  readonly changed: number
  readonly problems: readonly ScanProblem[]
  readonly itemsSeen: number
  readonly bytesHashed: number
}

/** Published after each batch is stored, for events and index exchange. */
export interface StoredBatch {
  readonly records: readonly FileHead[]
  readonly sequence: number
}

export interface ScanProgress {
  readonly currentBytes: number
  readonly totalBytes: number
  /** Bytes per second, a moving average. */
  readonly rate: number
}
