import type { FolderConfig } from '../../core/config/config.ts'
import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SharedMutex } from '../../sync/shared-mutex.ts'
import type { KeptFiles } from '../state/kept-files.ts'
import type { FolderTree } from '../tree/folder-tree.ts'
import type { PulledRecords } from './pulled-records.ts'

/** The parts of one pull. Each step names those that it uses. */
export interface PullParts {
  readonly folder: FolderConfig
  readonly index: FolderIndex
  /** As of the start of the pull. */
  readonly ignore: IgnoreRules
  readonly tree: FolderTree
  readonly records: PulledRecords
  /** Held shared to change indexed items or replace files; held exclusively by scans. */
  readonly folderLock: SharedMutex
  /** Files that other devices have deleted and that stay here. */
  readonly kept: KeptFiles
  /** Files that other devices delete stay here. */
  readonly collects: boolean
  readonly clock: Clock
  readonly log: Logger
}
