import { fieldsOf } from '../config/field.ts'
import { parseFolderId, type FolderId } from '../ids.ts'

/**
 * The steps of a move, in order. `prepared`: nothing was changed, or the directory was renamed; `copying`: the old
 * place is in use, the new one incomplete; `verified`: the new place is complete; `switched`: the settings have the new
 * path; `removing`: what is verified in the new place is removed from the old one. `undoing`: the copy is removed.
 */
const STEPS = ['prepared', 'copying', 'verified', 'switched', 'removing', 'undoing'] as const
const RESULTS = ['done', 'failed', 'cancelled'] as const

type MoveStep = (typeof STEPS)[number]
export type MoveResult = (typeof RESULTS)[number]
export type MoveState = MoveStep | MoveResult
export type MoveMethod = 'rename' | 'copy'

/** One move, as the journal keeps it. Of each folder the last one is kept. */
export interface MoveEntry {
  readonly folder: FolderId
  /** As in the settings of the folder. */
  readonly fromPath: string
  readonly toPath: string
  /** Absolute, without symlinks. */
  readonly from: string
  readonly to: string
  readonly method: MoveMethod
  readonly state: MoveState
  readonly startedMs: number
  readonly endedMs: number
  /** The change time of a file made at the old place when copying began; undefined if its disk has none. */
  readonly since?: number | undefined
  /** The directory at the new place was made by the move. */
  readonly madeRoot: boolean
  /** Why the move is undone, or has failed. */
  readonly error: string
  /** Items that were neither moved nor removed: unknown, changed or no files. The first of them, and how many. */
  readonly left: readonly string[]
  readonly leftCount: number
}

export function isEnded({ state }: Pick<MoveEntry, 'state'>): boolean {
  return RESULTS.some((result) => result === state)
}

/** Whether the old place is the folder still, so that the move can be cancelled. */
export function isCancellable({ state }: Pick<MoveEntry, 'state'>): boolean {
  return state === 'prepared' || state === 'copying'
}

/** Which of the two places the settings of the folder have; `elsewhere`: neither, or the folder was removed. */
export type SettingsPlace = 'old' | 'new' | 'elsewhere'

/**
 * The step with which a move continues after a restart. The settings decide: a saved switch is a switch, and a folder
 * that was removed or set to another directory by somebody else is left alone.
 */
export function resumedState(state: MoveState, place: SettingsPlace): MoveState {
  const isBefore = state === 'prepared' || state === 'copying' || state === 'verified'
  const isAfter = state === 'switched' || state === 'removing'
  if (place === 'new') return isBefore ? 'switched' : state === 'undoing' ? 'failed' : state
  if (isAfter) return 'failed'
  return isBefore && place === 'elsewhere' ? 'undoing' : state
}

/**
 * Why a step could not be done. `temporary`: a disk is not mounted, or the settings could not be saved, so that it is
 * unknown which ones the next start finds.
 */
export type MoveFailure =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'temporary' }
  | { readonly kind: 'failed'; readonly text: string }

export const CANCELLED = 'cancelled'

/** How a move continues after a failure. Before the switch it is undone; afterwards it is completed. */
export function afterFailure(
  entry: Pick<MoveEntry, 'state' | 'error' | 'from' | 'to'>,
  failure: MoveFailure,
): Pick<MoveEntry, 'state' | 'error'> | 'wait' {
  const { state, error, from, to } = entry
  if (failure.kind === 'cancelled') return isCancellable(entry) ? { state: 'undoing', error: CANCELLED } : 'wait'
  if (failure.kind === 'temporary') return 'wait'
  if (isCancellable(entry) || state === 'verified') return { state: 'undoing', error: failure.text }
  if (state === 'undoing') return { state: 'failed', error: `${error}; the copy at ${to} remains: ${failure.text}` }
  return { state: 'done', error: `the old files at ${from} remain: ${failure.text}` }
}

/** Whether a rename has happened, by the markers in both places. Neither or both: a disk is not mounted, or worse. */
export function renameState(isMarkedOld: boolean, isMarkedNew: boolean): 'to-do' | 'done' | 'unclear' {
  if (isMarkedOld === isMarkedNew) return 'unclear'
  return isMarkedNew ? 'done' : 'to-do'
}

export function journalText(entries: readonly MoveEntry[]): string {
  return `${JSON.stringify({ moves: entries }, undefined, 2)}\n`
}

/** What cannot be read counts as no move. */
export function parseJournal(text: string): readonly MoveEntry[] {
  try {
    const { moves } = fieldsOf(JSON.parse(text))
    return Array.isArray(moves) ? moves.flatMap((each) => parseEntry(each) ?? []) : []
  } catch {
    return []
  }
}

function parseEntry(read: unknown): MoveEntry | undefined {
  const fields = fieldsOf(read)
  const folder = parseFolderId(textOf(fields['folder']))
  const state = [...STEPS, ...RESULTS].find((each) => each === fields['state'])
  const [from, to] = [textOf(fields['from']), textOf(fields['to'])]
  if (folder === undefined || state === undefined || from === '' || to === '') return undefined
  const left = Array.isArray(fields['left']) ? fields['left'].filter((name) => typeof name === 'string') : []
  return {
    folder,
    fromPath: textOf(fields['fromPath']),
    toPath: textOf(fields['toPath']),
    from,
    to,
    method: fields['method'] === 'copy' ? 'copy' : 'rename',
    state,
    startedMs: numberOf(fields['startedMs']),
    endedMs: numberOf(fields['endedMs']),
    ...(typeof fields['since'] === 'number' && { since: fields['since'] }),
    madeRoot: fields['madeRoot'] === true,
    error: textOf(fields['error']),
    left,
    leftCount: numberOf(fields['leftCount']),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
