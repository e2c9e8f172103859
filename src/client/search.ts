import type { FindJson } from '../rest/find.ts'
import type { SearchJson } from '../rest/twinfold.ts'
import type { Caller } from './groups.ts'

/** One reply finds at most as many. */
const LIMIT_MAX = 200

export interface SearchOptions {
  /** How many results are enough; 200 by default. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** What a search has found until now. */
export interface SearchProgress<Item> {
  /** All of them, in order. */
  readonly items: readonly Item[]
  /** How many names have been compared. */
  readonly searched: number
  /** Requests follow. */
  readonly isRunning: boolean
  /** Not all names have been compared: it is running, or has found as many as wanted. */
  readonly truncated: boolean
}

export type FoundInFolder = SearchJson['items'][number]
export type FoundAnywhere = FindJson['items'][number]

interface Part<Item> {
  readonly items: readonly Item[]
  readonly searched: number
  readonly next?: string
}

export function searchFolder(
  client: Caller,
  { folder, text }: { readonly folder: string; readonly text: string },
  options: SearchOptions,
): AsyncGenerator<SearchProgress<FoundInFolder>, void, undefined> {
  return searchAll(options, (page) => {
    const query = { folder, text, ...page }
    return client.call('GET /rest/twinfold/search', { query, ...(options.signal && { signal: options.signal }) })
  })
}

export function searchFolders(
  client: Caller,
  text: string,
  options: SearchOptions,
): AsyncGenerator<SearchProgress<FoundAnywhere>, void, undefined> {
  return searchAll(options, (page) => {
    const query = { text, ...page }
    return client.call('GET /rest/twinfold/find', { query, ...(options.signal && { signal: options.signal }) })
  })
}

/** Requests the parts one after the other, until there are enough results or no more names. */
async function* searchAll<Item>(
  { limit = LIMIT_MAX }: SearchOptions,
  request: (page: { readonly limit: number; readonly from: string | undefined }) => Promise<Part<Item>>,
): AsyncGenerator<SearchProgress<Item>, void, undefined> {
  let items: readonly Item[] = []
  let searched = 0
  for (let from: string | undefined, isRunning = true; isRunning;) {
    const part: Part<Item> = await request({ limit: Math.min(LIMIT_MAX, limit - items.length), from })
    items = items.concat(part.items)
    searched += part.searched
    from = part.next
    isRunning = from !== undefined && items.length < limit
    yield { items, searched, isRunning, truncated: from !== undefined }
  }
}
