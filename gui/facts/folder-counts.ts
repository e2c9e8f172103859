import type { FolderConfig } from '../../src/core/config/config.ts'
import type { FolderLive } from '../live/state.ts'

export function folderName({ id, label }: Pick<FolderConfig, 'id' | 'label'>): string {
  return label === '' ? id : label
}

/** What is left to do in a folder, in numbers. */
export interface FolderCounts {
  readonly bytesLeft: number
  /** Items that are not here yet. */
  readonly waiting: number
  /** Items that could not be made or read. */
  readonly problems: number
  /** Items changed here in a folder that only receives. */
  readonly extra: number
}

/** The daemon has already subtracted the received parts of running downloads. */
export function folderCounts(live: FolderLive | undefined): FolderCounts {
  const status = live?.status
  return {
    bytesLeft: status?.needBytes ?? 0,
    waiting: status?.needTotalItems ?? 0,
    problems: Math.max(status?.pullErrors ?? 0, status?.errors ?? 0),
    extra: status?.receiveOnlyTotalItems ?? 0,
  }
}
