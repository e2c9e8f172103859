import type { ZeroBlocks } from '../../core/records/block-diff.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { FetchResources } from './fetch.ts'
import type { PullProgress } from '../state/file-progress.ts'

/** What the steps of pulling one file share. */
export interface FilePull {
  readonly global: FileInfo
  readonly local: FileInfo | undefined
  readonly resources: FetchResources
  readonly zeros: ZeroBlocks
  onBegun(progress: PullProgress): void
  /** All blocks are requested: the next file may begin. */
  onAllRequested(): void
}
