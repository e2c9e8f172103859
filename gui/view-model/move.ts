import type { MoveJson, MoveStartedJson } from '../../src/rest/move.ts'
import type { TextValues } from '../i18n/fill.ts'
import type { TextKey } from '../i18n/texts.ts'

export type MovePreview = NonNullable<MoveStartedJson['preview']>

/** One line about a move. */
export interface MoveText {
  readonly key: TextKey
  readonly values: TextValues
}

const PROBLEMS: Readonly<Record<NonNullable<MovePreview['problem']>['code'], TextKey>> = {
  relative: 'add.pathRelative',
  same: 'move.same',
  inside: 'move.apart',
  around: 'move.apart',
  'other-folder': 'move.apart',
  home: 'move.home',
  used: 'move.used',
  'no-directory': 'add.path.not-a-directory',
  'no-parent': 'move.noParent',
  unreadable: 'add.path.unreadable',
  mounted: 'move.mounted',
  stopped: 'move.stopped',
  'no-space': 'move.noSpace',
}

/** What a move would do, or why it cannot be done. */
export function previewText(preview: MovePreview, formatSize: (bytes: number) => string): MoveText {
  const { bytes, files, freeBytes, method, problem, to } = preview
  const values = { path: to, n: files, size: formatSize(bytes), free: formatSize(freeBytes ?? 0) }
  if (problem !== null) return { key: PROBLEMS[problem.code], values }
  if (method === 'rename') return { key: 'move.renames', values }
  return { key: freeBytes === null ? 'move.copies' : 'move.copiesFree', values }
}

/** Where a move stands. */
export function moveText({ state, to, from }: MoveJson): MoveText {
  return { key: `move.state.${state}`, values: { path: to, old: from } }
}

export function isMoving(move: MoveJson | null | undefined): boolean {
  return move !== null && move !== undefined && !['done', 'failed', 'cancelled'].includes(move.state)
}

/** From 0 to 1; undefined where nothing is copied. */
export function moveFraction({ bytes, bytesDone, method, state }: MoveJson): number | undefined {
  if (method === 'rename' || state === 'undoing') return undefined
  if (state !== 'copying' && state !== 'prepared') return 1
  return bytes === 0 ? 0 : bytesDone / bytes
}
