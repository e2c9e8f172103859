import { shortIdText } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import {
  parsePosition,
  positionText,
  type HistoryEntry,
  type NewItem,
  type PastItem,
} from '../../core/history/entry.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import { HISTORY_ROUTES, type HistoryEntryJson, type HistoryJson } from '../../rest/history.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatMs, formatNs } from '../views/times.ts'
import { folderOf, itemOf, timeOf } from './tree-query.ts'

const LIMIT_DEFAULT = 100
const SHORT_ID_LENGTH = 7

/** Routes of the history of folders. */
export function historyRoutes(deps: { explorer(): Promise<Pick<FolderExplorer, 'history'>> }): readonly Route[] {
  return bind(HISTORY_ROUTES, {
    'GET /rest/twinfold/history': async ({ query, request }) => {
      const folder = folderOf(query)
      const file = query.first('file')?.replace(/\/$/, '') || undefined
      const wanted = {
        path: itemOf('file', file) ?? '',
        sinceMs: timeOf('since', query.first('since')),
        by: shortIdIn(query.first('by')),
        before: cursorOf(query.first('cursor')),
        limit: query.integer('limit') ?? LIMIT_DEFAULT,
      }
      const { entries, next, completeSinceMs } = await (await deps.explorer()).history(folder, wanted, request.signal)
      const body: HistoryJson = {
        entries: entries.map(entryJson),
        next: next === undefined ? null : positionText(next),
        completeSince: completeSinceMs === undefined ? null : formatMs(completeSinceMs),
      }
      return json(body)
    },
  })
}

function cursorOf(text: string | undefined): HistoryEntry['position'] | undefined {
  if (text === undefined || text === '') return undefined
  const position = parsePosition(text)
  if (position === undefined) throw new TwinfoldError('bad-request', 'cursor must be the next of an earlier reply')
  return position
}

/** The first letters of an ID are the short one. */
function shortIdIn(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const short = text.slice(0, SHORT_ID_LENGTH).toUpperCase()
  if (short.length < SHORT_ID_LENGTH) throw new TwinfoldError('bad-request', 'by must be the ID of a device')
  return short
}

function entryJson({ position, atMs, name, kind, origin, by, via, ...entry }: HistoryEntry): HistoryEntryJson {
  return {
    id: positionText(position),
    time: formatMs(atMs),
    path: name,
    kind,
    how: origin,
    by: kind === 'baseline' ? '' : shortIdText(by),
    via: via.map(shortIdText),
    fromVersion: entry.fromVersion,
    toVersion: entry.toVersion,
    before: itemJson(entry.before),
    after: newItemJson(entry.after),
    baseline: entry.baseline ?? null,
  }
}

function newItemJson(item: NewItem | undefined): HistoryEntryJson['after'] {
  if (item === undefined) return null
  const { type, sizeBytes, blocksHash, symlinkTarget } = item
  return { type, size: sizeBytes, blocksHash, symlinkTarget }
}

function itemJson(item: PastItem | undefined): HistoryEntryJson['before'] {
  if (item === undefined) return null
  const { type, sizeBytes, modifiedS, modifiedNs, permissions, blocksHash, symlinkTarget } = item
  const modified = formatNs(modifiedS, modifiedNs)
  return { type, size: sizeBytes, modified, permissions: permissions ?? null, blocksHash, symlinkTarget }
}
