/** A list that comes page by page, as the routes of the daemon give it. */
export interface Pages<T> {
  readonly total: number
  readonly items: readonly T[]
}

/** The first `count` pages, one after the other; fewer when the list ends before. */
export async function fetchPages<T>(
  count: number,
  perPage: number,
  fetchPage: (page: number) => Promise<Pages<T>>,
): Promise<Pages<T>> {
  let { total, items } = await fetchPage(1)
  for (let page = 2; page <= count && items.length < total; page++) {
    const next = await fetchPage(page)
    total = next.total
    items = [...items.slice(0, (page - 1) * perPage), ...next.items]
  }
  return { total, items }
}
