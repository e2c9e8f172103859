import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Throttle } from '../base/throttle.ts'
import { useLive } from './live.ts'
import { mayPass, RETRY_MS } from './query.ts'
import { PagedLists, type FetchPage, type PagedList } from './paged.ts'
import { useStore } from '../base/store.ts'

const AGAIN_EVERY_MS = 1_000

export interface LoadedLists<T> {
  readonly lists: ReadonlyMap<string, PagedList<T>>
  /** Declares which pages are in sight: those that are missing are fetched. */
  readonly show: (inSight: ReadonlyMap<string, readonly number[]>) => void
  readonly again: () => void
}

/** Long lists of one source, fetched page by page as they come into sight; again at most once a second on a change. */
export function usePaged<T>(key: string, fetchPage: FetchPage<T>, revision: string): LoadedLists<T> {
  const isLive = useLive((state) => state.link === 'live')
  const pages = useMemo(() => new PagedLists(fetchPage), [key])
  const inSight = useRef<ReadonlyMap<string, readonly number[]>>(new Map())
  const throttle = useMemo(
    () =>
      new Throttle(async () => pages.refresh(inSight.current), AGAIN_EVERY_MS, {
        nowMs: () => performance.now(),
        schedule: (run, delayMs) => void setTimeout(run, delayMs),
      }),
    [pages],
  )
  useEffect(() => () => pages.end(), [pages])
  const seen = useRef(`${revision} ${isLive}`)
  useEffect(() => {
    if (seen.current === `${revision} ${isLive}` || !isLive) return
    seen.current = `${revision} ${isLive}`
    throttle.request()
  }, [revision, isLive, throttle])
  const lists = useStore(pages.lists, (value) => value)
  const hasFailed = [...lists.values()].some(({ error }) => error !== undefined && mayPass(error))
  useEffect(() => {
    if (!hasFailed) return undefined
    const timer = setInterval(() => throttle.request(), RETRY_MS)
    return () => clearInterval(timer)
  }, [hasFailed, throttle])
  const show = (next: ReadonlyMap<string, readonly number[]>) => {
    inSight.current = next
    for (const [list, numbers] of next) for (const number of numbers) pages.need(list, number)
  }
  return { lists, show, again: () => throttle.requestNow() }
}
