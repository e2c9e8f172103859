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
