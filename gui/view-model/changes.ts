import type { EventJson } from '../../src/rest/event-data.ts'
import { arrangeRows, type RowOrHeading } from './table.ts'

export type ChangeFilter = 'all' | 'modified' | 'deleted'

/** One file that changed, here or elsewhere. */
export interface FileChange {
  readonly id: number
  readonly time: string
  readonly folder: string
  readonly path: string
  readonly type: string
  readonly deleted: boolean
  /** The name of this device, or the short id of another one. */
  readonly by: string
  readonly here: boolean
}

/** The change of a disk event; undefined for any other event. */
export function changeOf({ id, time, type, data }: EventJson): FileChange | undefined {
  if (type !== 'LocalChangeDetected' && type !== 'RemoteChangeDetected') return undefined
  const fields: Readonly<Record<string, unknown>> = typeof data === 'object' && data !== null ? { ...data } : {}
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  return {
    id,
    time,
    folder: text('folder'),
    path: text('path'),
    type: text('type'),
    deleted: text('action') === 'deleted',
    by: text('modifiedBy'),
    here: type === 'LocalChangeDetected',
  }
}

/** The newest first, no more than `max`. */
export function withChanges(
  known: readonly FileChange[],
  events: readonly EventJson[],
  max: number,
): readonly FileChange[] {
  const added = events.map(changeOf).filter((change) => change !== undefined)
  return added.length === 0 ? known : [...added.reverse(), ...known].slice(0, max)
}

export interface WantedChanges {
  /** Empty for all. */
  readonly folder: string
  readonly filter: ChangeFilter
  readonly text: string
}

/** The changes that are wanted, the newest first; with a heading for each day if there are several. */
export function changeLines(
  changes: readonly FileChange[],
  { folder, filter, text }: WantedChanges,
  dayOf: (timeMs: number) => string,
): readonly RowOrHeading<FileChange>[] {
  const part = text.trim().toLowerCase()
  const wanted = changes.filter(
    (change) =>
      (folder === '' || change.folder === folder) &&
      (filter === 'all' || change.deleted === (filter === 'deleted')) &&
      change.path.toLowerCase().includes(part),
  )
  const headingOf = ({ time }: FileChange) => dayOf(Date.parse(time))
  const hasDays = new Set(wanted.map(headingOf)).size > 1
  return arrangeRows(wanted, { compare: () => 0, ...(hasDays && { headingOf }) })
}
