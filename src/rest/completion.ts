import type { FileEntryJson } from './db.ts'

/** How much of a folder a device has. */
export interface CompletionJson {
  /** Per cent of the bytes; 95 when only deletions are left. */
  readonly completion: number
  readonly globalBytes: number
  readonly globalItems: number
  readonly needBytes: number
  readonly needDeletes: number
  readonly needItems: number
  /** `unknown`, `valid`, `notSharing` or `paused`. */
  readonly remoteState: string
  readonly sequence: number
}

export interface RemoteNeedJson {
  readonly files: readonly FileEntryJson[]
  readonly page: number
  readonly perpage: number
}

export type DeviceStatisticsJson = Readonly<Record<string, {
  readonly lastSeen: string
  readonly lastConnectionDurationS: number
}>>
