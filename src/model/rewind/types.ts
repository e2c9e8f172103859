import type { FolderId } from '../../core/ids.ts'
import type { RewindEntry } from '../../core/rewind/journal.ts'
import type { RewindMode } from '../../core/rewind/step.ts'

export interface RewindRequest {
  readonly folder: FolderId
  /** '' is the whole folder. */
  readonly path: string
  readonly momentMs: number
  readonly mode: RewindMode
}

/** Items, the bytes of their files, and the first of their names. */
export interface RewindGroup {
  readonly items: number
  readonly bytes: number
  readonly names: readonly string[]
}

/** What a rewind would do. */
export interface RewindPreview {
  /** As they were then; `replaced` of them have other content now. */
  readonly restorable: RewindGroup
  readonly replaced: number
  /** Their content is nowhere. */
  readonly gone: RewindGroup
  /** Newer than the moment: they stay. */
  readonly kept: RewindGroup
  /** Made by a later rewind alone: they are removed. */
  readonly removed: RewindGroup
  /** A directory has their name now. */
  readonly blocked: RewindGroup
  /** Where items are put beside; empty in place. */
  readonly beside: string
  /** Too much to read all of it: some old versions were not verified. */
  readonly isVerified: boolean
}

/** A rewind that runs, or the last one of a folder. */
export interface RewindStatus extends RewindEntry {
  /** Items to go through, and how many were; 0 until they are known. */
  readonly items: number
  readonly handled: number
}

/** What REST uses. Unknown folder: `folder-missing`; a moment or a folder that cannot be rewound: `refused`. */
export interface RewindView {
  preview(request: RewindRequest, signal: AbortSignal): Promise<RewindPreview>
  start(request: RewindRequest, signal: AbortSignal): Promise<RewindStatus>
  /** Undefined for a folder that was never rewound. */
  status(folder: FolderId): RewindStatus | undefined
  /** What was rewound stays. */
  stop(folder: FolderId): Promise<void>
}
