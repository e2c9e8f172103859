import type { FolderStatus } from '../../model/types.ts'
import type { FolderStatusJson } from '../../rest/db.ts'
import { formatWholeSeconds } from './times.ts'

/** A folder's state and counts in the format of `GET /rest/db/status` and of the `FolderSummary` event. */
export function folderStatusJson(status: FolderStatus): FolderStatusJson {
  const { global, local, need, receiveOnlyChanged: changed } = status.counts
  const items = (counts: typeof global) => counts.files + counts.directories + counts.symlinks + counts.deleted
  return {
    errors: status.errorCount,
    pullErrors: status.errorCount,
    invalid: '',
    globalFiles: global.files,
    globalDirectories: global.directories,
    globalSymlinks: global.symlinks,
    globalDeleted: global.deleted,
    globalBytes: global.bytes,
    globalTotalItems: items(global),
    localFiles: local.files,
    localDirectories: local.directories,
    localSymlinks: local.symlinks,
    localDeleted: local.deleted,
    localBytes: local.bytes,
    localTotalItems: items(local),
    needFiles: need.files,
    needDirectories: need.directories,
    needSymlinks: need.symlinks,
    needDeletes: need.deleted,
    needBytes: need.bytes,
    needTotalItems: items(need),
    receiveOnlyChangedFiles: changed.files,
    receiveOnlyChangedDirectories: changed.directories,
    receiveOnlyChangedSymlinks: changed.symlinks,
    receiveOnlyChangedDeletes: changed.deleted,
    receiveOnlyChangedBytes: changed.bytes,
    receiveOnlyTotalItems: items(changed),
    inSyncFiles: Math.max(0, global.files - need.files),
    inSyncBytes: Math.max(0, global.bytes - need.bytes),
    state: status.state,
    stateChanged: formatWholeSeconds(status.stateChangedMs),
    error: status.error,
    version: status.sequence,
    sequence: status.sequence,
    remoteSequence: status.remoteSequences === undefined ? null : Object.fromEntries(status.remoteSequences),
    ignorePatterns: status.ignorePatterns,
    watchError: status.watchError,
  }
}
