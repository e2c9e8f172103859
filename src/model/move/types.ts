import type { FolderId } from '../../core/ids.ts'
import type { MoveMethod, MoveState } from '../../core/move/journal.ts'
import type { MoveProblem } from '../../core/move/target.ts'

/** What a move would do. */
export interface MovePreview {
  readonly from: string
  readonly to: string
  /** A rename takes no time and no space; a copy is made to another file system. */
  readonly method: MoveMethod
  readonly files: number
  readonly bytes: number
  /** At the new place; undefined if unknown. */
  readonly freeBytes: number | undefined
  readonly problem: MoveProblem | undefined
}

/** A move that runs, or the last one of a folder. */
export interface MoveStatus {
  readonly from: string
  readonly to: string
  readonly method: MoveMethod
  readonly state: MoveState
  readonly startedMs: number
  /** 0 while it runs. */
  readonly endedMs: number
  readonly files: number
  readonly filesDone: number
  readonly bytes: number
  readonly bytesDone: number
  readonly cancellable: boolean
  /** Why it waits, was undone or has failed. */
  readonly error: string
  readonly left: readonly string[]
  readonly leftCount: number
}

/** Moves folders, for REST. */
export interface MoveView {
  /** Rejects with `folder-missing`. Nothing is changed. */
  preview(folder: FolderId, path: string, signal: AbortSignal): Promise<MovePreview>
  /** Resolves when the move is in the journal. Rejects with `folder-missing`, or with `refused` and the remedy. */
  start(folder: FolderId, path: string, signal: AbortSignal): Promise<MoveStatus>
  /** Undefined if the folder was never moved. Throws `folder-missing`. */
  status(folder: FolderId): MoveStatus | undefined
  /** Before the switch: the copy is removed, the folder stays. Rejects with `refused` when it is too late. */
  cancel(folder: FolderId): Promise<void>
}
