import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ClientError } from '../../src/client/errors.ts'
import { Throttle } from '../base/throttle.ts'
import { useLive } from './live.ts'
import { lookUp } from '../base/look-up.ts'

const AGAIN_EVERY_MS = 1_000
/** No event reports that a reply would be right again. */
export const RETRY_MS = 4_000

/** Not a refusal of the request itself. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ClientError) || error.failure !== 'status' || error.status >= 500
}

export interface QueryState<T> {
  /** The latest result; undefined until there was one. */
  readonly value: T | undefined
  /** Why the latest request failed. */
  readonly error: unknown
  /** The value is a part of what is still being requested. */
  readonly isPartial?: boolean
  /** Requests it again, after a change that no event reports. */
  readonly again: () => void
}

type QueryResult<T> = Omit<QueryState<T>, 'again'> & { readonly key?: string }

/**
 * The result of a request, sent again when `key` changes, when `revision` does (at most once a second), and when the
 * daemon is back. The old result stays until the new one has arrived, so that the layout does not shift. A request may
 * report parts of its result; where there is a whole one for the same key, they are not shown.
 */
export function useQuery<T>(
  key: string,
  request: (signal: AbortSignal, onPart: (part: T) => void) => Promise<T>,
  revision: string | number = 0,
): QueryState<T> {
  const [result, setResult] = useState<QueryResult<T>>({ value: undefined, error: undefined })
  const isLive = useLive((state) => state.link === 'live')
  const current = useRef(request)
  current.current = request
  const throttle = useRef<Throttle | undefined>(undefined)
  useEffect(() => {
    if (!isLive) return undefined
    const ended = new AbortController()
    throttle.current = new Throttle(
      async () => {
        if (ended.signal.aborted) return
        try {
          const value = await current.current(ended.signal, (part) => {
            const partial = { value: part, error: undefined, isPartial: true, key }
            if (!ended.signal.aborted) setResult((old) => (old.key === key && old.isPartial !== true ? old : partial))
          })
          if (!ended.signal.aborted) setResult({ value, error: undefined, key })
        } catch (error) {
          if (ended.signal.aborted) return
          setResult((old) => ({ ...old, error }))
          if (mayPass(error)) setTimeout(() => throttle.current?.request(), RETRY_MS)
        }
      },
      AGAIN_EVERY_MS,
      { nowMs: () => performance.now(), schedule: (run, delayMs) => void setTimeout(run, delayMs) },
    )
    throttle.current.request()
    return () => ended.abort()
  }, [key, isLive])
  const seen = useRef(revision)
  useEffect(() => {
    if (seen.current === revision) return
    seen.current = revision
    throttle.current?.request()
  }, [revision])
  const again = useCallback(() => throttle.current?.requestNow(), [])
  return { ...result, again }
}

/** Changes with every event that may affect a list of the folder's items. */
export function useFolderRevision(id: string): string {
  return useLive((state) => {
    const connected = Object.values(state.connections.connections).filter((each) => each.connected).length
    const paused = state.config?.folders.find((folder) => folder.id === id)?.paused
    return `${lookUp(state.folderEvents, id) ?? 0} ${connected} ${paused}`
  })
}
