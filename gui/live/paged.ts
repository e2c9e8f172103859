import { detach } from '../../src/core/errors.ts'
import { ClientError } from '../../src/client/errors.ts'
import { Store } from '../base/store.ts'

/** One list, of which some pages are loaded. */
export interface PagedList<T> {
  readonly total: number
  /** The daemon examined only a part of the list. */
  readonly truncated: boolean
  /** By number, from 1. */
  readonly pages: ReadonlyMap<number, readonly T[]>
  readonly error: unknown
}

export interface FetchedPage<T> {
  readonly total: number
  readonly truncated?: boolean
  readonly items: readonly T[]
}

/** The items beside a page that is fetched, as far as they are loaded: by them a list can continue where it was. */
export interface AdjacentItems<T> {
  /** The last item of the page before. */
  readonly after?: T | undefined
  /** The first item of the next page. */
  readonly before?: T | undefined
}

export type FetchPage<T> = (
  key: string,
  page: number,
  signal: AbortSignal,
  beside: AdjacentItems<T>,
) => Promise<FetchedPage<T>>

const NOTHING: PagedList<never> = { total: 0, truncated: false, pages: new Map(), error: undefined }

/** Pages of long lists, by the key of the list: each is fetched when it comes into sight, and no other. */
export class PagedLists<T> {
  readonly lists = new Store<ReadonlyMap<string, PagedList<T>>>(new Map())
  readonly #fetchPage: FetchPage<T>
  readonly #ended = new AbortController()
  /** Requests under way, and whether another must follow because of a change meanwhile. */
  readonly #running = new Map<string, { isStale: boolean }>()
  /** Pages that may have changed since. */
  readonly #stale = new Set<string>()

  constructor(fetchPage: FetchPage<T>) {
    this.#fetchPage = fetchPage
  }

  /** Fetches a page unless it is there or under way. After a failure the next change tries again. */
  need(key: string, page: number): void {
    const [id, list] = [idOf(key, page), this.lists.get().get(key)]
    const isThere = list?.pages.has(page) === true && !this.#stale.has(id)
    if (isThere || this.#running.has(id) || list?.error !== undefined) return
    detach(this.#fetch(key, page))
  }

  /** After a change: fetches the pages in sight again, and the others when they come into sight. None is dropped. */
  refresh(inSight: ReadonlyMap<string, readonly number[]>): void {
    for (const [key, { pages }] of this.lists.get()) for (const page of pages.keys()) this.#stale.add(idOf(key, page))
    for (const [key, pages] of inSight) for (const page of pages) detach(this.#fetch(key, page))
  }

  end(): void {
    this.#ended.abort()
  }

  async #fetch(key: string, page: number): Promise<void> {
    const id = idOf(key, page)
    const running = this.#running.get(id)
    if (running !== undefined) {
      running.isStale = true
      return
    }
    const request = { isStale: false }
    this.#running.set(id, request)
    try {
      do {
        request.isStale = false
        this.#stale.delete(id)
        const reply = await this.#fetchPage(key, page, this.#ended.signal, this.#beside(key, page))
        const { total, truncated = false, items } = checked(reply)
        this.#change(key, ({ pages }) => ({
          total,
          truncated,
          pages: new Map(pages).set(page, items),
          error: undefined,
        }))
      } while (request.isStale && !this.#ended.signal.aborted)
    } catch (error) {
      this.#change(key, (list) => ({ ...list, error }))
    } finally {
      this.#running.delete(id)
    }
  }

  #beside(key: string, page: number): AdjacentItems<T> {
    const after = this.#fresh(key, page - 1)?.at(-1)
    return after === undefined ? { before: this.#fresh(key, page + 1)?.at(0) } : { after }
  }

  /** A loaded page of which no change is known. */
  #fresh(key: string, page: number): readonly T[] | undefined {
    const id = idOf(key, page)
    return this.#stale.has(id) || this.#running.has(id) ? undefined : this.lists.get().get(key)?.pages.get(page)
  }

  #change(key: string, change: (list: PagedList<T>) => PagedList<T>): void {
    if (this.#ended.signal.aborted) return
    this.lists.update((lists) => new Map(lists).set(key, change(lists.get(key) ?? NOTHING)))
  }
}

function idOf(key: string, page: number): string {
  return `${page} ${key}`
}

/** A list of unknown length would be shown as an empty one. */
function checked<T>(page: FetchedPage<T>): FetchedPage<T> {
  const isRight = Number.isSafeInteger(page.total) && page.total >= 0 && Array.isArray(page.items)
  if (!isRight) throw new ClientError('malformed', 'the list has an unexpected form')
  return page
}
