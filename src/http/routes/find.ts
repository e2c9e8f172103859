import type { ConfigStore } from '../../config/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { isSearchedName, parseSearchCursor, searchCursor, type SearchPosition } from '../../core/name-search.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { FoundItems, NameQuery } from '../../model/queries/explorer-types.ts'
import type { FolderId } from '../../core/ids.ts'
import type { FindJson } from '../../rest/find.ts'
import type { SearchJson } from '../../rest/twinfold.ts'
import type { Query } from '../pipeline/query.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import { itemJson } from '../views/item.ts'
import { folderOf } from './tree-query.ts'

const SEARCH_LIMIT_DEFAULT = 200
const FIND_LIMIT_DEFAULT = 20
const TEXT_MAX = 200
/** One request takes less than 50 ms, however many names there are; it is some 100,000 names. */
const WORK_MS = 30

export interface FindDeps {
  explorer(): Promise<FolderExplorer>
  readonly config: Pick<ConfigStore, 'current'>
}

/** The text of a search; rejects one that is empty or too long. */
function searchTextOf(query: Query<'text'>): string {
  const text = query.first('text') ?? ''
  if (text === '' || text.length > TEXT_MAX)
    throw new TwinfoldError('bad-request', `text must be 1 to ${TEXT_MAX} characters`)
  return text
}

/** It may be anything: what it holds is not repeated in the error. */
function noCursor(): TwinfoldError {
  return new TwinfoldError('bad-request', 'from must be next of the reply before: start again without it')
}

export async function searchFolder(
  { explorer }: Pick<FindDeps, 'explorer'>,
  { query, request }: Call<'folder' | 'text' | 'limit' | 'from'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const limit = query.integer('limit') ?? SEARCH_LIMIT_DEFAULT
  const text = searchTextOf(query)
  const after = query.first('from') ?? ''
  if (!isSearchedName(after)) throw noCursor()
  const wanted = { text, limit, after, workMs: WORK_MS }
  const { items, next, searched } = await (await explorer()).search(folder, wanted, request.signal)
  const body: SearchJson = { items: items.map(itemJson), searched, ...ending(next) }
  return json(body)
}

/** There are more names exactly if there is a place to go on at. */
function ending(next: string | undefined): Pick<SearchJson, 'next' | 'truncated'> {
  return next === undefined ? { truncated: false } : { truncated: true, next }
}

/**
 * Searches one folder after the other, in the order of their IDs, so that the place of a folder that has been removed
 * since is known. Folders that do not run have no results.
 */
export async function findEverywhere(
  { explorer, config }: FindDeps,
  { query, request }: Call<'text' | 'limit' | 'from'>,
): Promise<Reply> {
  const text = searchTextOf(query)
  const limit = query.integer('limit') ?? FIND_LIMIT_DEFAULT
  const position = positionOf(query.first('from') ?? '')
  const explore = await explorer()
  const items: FindJson['items'][number][] = []
  let searched = 0
  let workMs = WORK_MS
  const reply = (next?: SearchPosition) =>
    json({ items, searched, ...ending(next && searchCursor(next)) } satisfies FindJson)
  for (const folder of foldersFrom(config, position)) {
    if (items.length >= limit || workMs <= 0) return reply({ folder, after: '' })
    const after = folder === position?.folder ? position.after : ''
    const wanted = { text, limit: limit - items.length, after, workMs }
    const found = await searchRunning(explore, folder, wanted, request.signal)
    for (const { records } of found?.items ?? []) {
      const { name, type } = records.global
      items.push({ folder, name, type })
    }
    searched += found?.searched ?? 0
    workMs -= found?.workedMs ?? 0
    if (found?.next !== undefined) return reply({ folder, after: found.next })
  }
  return reply()
}

function positionOf(from: string): SearchPosition | undefined {
  if (from === '') return undefined
  const position = parseSearchCursor(from)
  if (position === undefined) throw noCursor()
  return position
}

function foldersFrom({ current }: FindDeps['config'], position: SearchPosition | undefined): readonly FolderId[] {
  const ids = current.folders.map(({ id }) => id).sort()
  return position === undefined ? ids : ids.filter((id) => id >= position.folder)
}

async function searchRunning(
  explore: FolderExplorer,
  folder: FolderId,
  wanted: NameQuery,
  signal: AbortSignal,
): Promise<FoundItems | undefined> {
  try {
    return await explore.search(folder, wanted, signal)
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return undefined
    throw error
  }
}
