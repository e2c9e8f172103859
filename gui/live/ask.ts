import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Pace } from '../facts/pace.ts'
import { useLive } from './live.ts'

const AGAIN_EVERY_MS = 1_000

export interface Asked<T> {
  /** The latest answer; undefined until there was one. */
  readonly value: T | undefined
  /** Why the latest question failed. */
  readonly error: unknown
  /** Asks once more, for those who changed something that no event tells of. */
  readonly again: () => void
}

/**
 * The answer to a question, asked anew when `key` changes, when `turn` does (at most once a second), and when the daemon is
 * back. The old answer stays until the new one is there, so that nothing jumps.
 */
export function useAsk<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, turn: string | number = 0): Asked<T> {
  const [answer, setAnswer] = useState<Pick<Asked<T>, 'value' | 'error'>>({ value: undefined, error: undefined })
  const isLive = useLive((state) => state.link === 'live')
  const question = useRef(ask)
  question.current = ask
  const pace = useRef<Pace | undefined>(undefined)
  useEffect(() => {
    if (!isLive) return undefined
    const ended = new AbortController()
    pace.current = new Pace(
      async () => {
        if (ended.signal.aborted) return
        try {
          const value = await question.current(ended.signal)
          if (!ended.signal.aborted) setAnswer({ value, error: undefined })
        } catch (error) {
          if (!ended.signal.aborted) setAnswer(({ value }) => ({ value, error }))
        }
      },
      AGAIN_EVERY_MS,
      { nowMs: () => performance.now(), later: (run, delayMs) => void setTimeout(run, delayMs) },
    )
    pace.current.ask()
    return () => ended.abort()
  }, [key, isLive])
  const asked = useRef(turn)
  useEffect(() => {
    if (asked.current === turn) return
    asked.current = turn
    pace.current?.ask()
  }, [turn])
  const again = useCallback(() => pace.current?.askNow(), [])
  return { ...answer, again }
}

/** Changes whenever something happened that a list of the folder's items may show. */
export function useFolderTurn(id: string): string {
  return useLive((state) => {
    const connected = Object.values(state.connections.connections).filter((each) => each.connected).length
    const paused = state.config?.folders.find((folder) => folder.id === id)?.paused
    return `${state.folderEvents[id] ?? 0} ${connected} ${paused}`
  })
}
