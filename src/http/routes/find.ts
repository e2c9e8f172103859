import type { ConfigStore } from '../../config/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { FindJson } from '../../rest/find.ts'
import type { Query } from '../pipeline/query.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'

const LIMIT_DEFAULT = 20
const TEXT_MAX = 200

export interface FindDeps {
  explorer(): Promise<FolderExplorer>
  readonly config: Pick<ConfigStore, 'current'>
}

/** The text of a search; rejects one that is empty or too long. */
export function searchTextOf(query: Query<'text'>): string {
  const text = query.first('text') ?? ''
  if (text === '' || text.length > TEXT_MAX)
    throw new TwinfoldError('bad-request', `text must be 1 to ${TEXT_MAX} characters`)
  return text
}

/** Searches one folder after the other until there are enough results. Folders that do not run have none. */
export async function findEverywhere(
  { explorer, config }: FindDeps,
  { query, request }: Call<'text' | 'limit'>,
): Promise<Reply> {
  const text = searchTextOf(query)
  const limit = query.integer('limit') ?? LIMIT_DEFAULT
  const explore = await explorer()
  const items: FindJson['items'][number][] = []
  let isTruncated = false
  for (const { id } of config.current.folders) {
    if (items.length >= limit) return json({ items, truncated: true } satisfies FindJson)
    try {
      const found = await explore.search(id, { text, limit: limit - items.length }, request.signal)
      for (const { records } of found.items) {
        const { name, type } = records.global
        items.push({ folder: id, name, type })
      }
      isTruncated ||= found.truncated
    } catch (error) {
      if (!(error instanceof TwinfoldError && error.code.startsWith('folder-'))) throw error
    }
  }
  return json({ items, truncated: isTruncated } satisfies FindJson)
}
