import { detach } from '../../../src/core/errors.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { appendLog, logSince, type LogEntry } from '../../view-model/log.ts'
import { client } from '../../live/client.ts'
import { live, reloadParts } from '../../live/live.ts'

const ASK_EVERY_MS = 1_000

/** The log as it grows; not updated while not `running`, and catches up afterwards. Undefined until it was loaded. */
export function useLog(running: boolean): readonly LogEntry[] | undefined {
  const [entries, setEntries] = useState<readonly LogEntry[]>()
  const known = useRef<readonly LogEntry[]>([])
  useEffect(() => {
    if (!running) return undefined
    const ended = new AbortController()
    const fetchLines = async () => {
      const { messages } = await client.call('GET /rest/system/log', {
        query: { since: logSince(known.current) },
        signal: ended.signal,
      })
      if (ended.signal.aborted) return
      const lastId = known.current.at(-1)?.id ?? 0
      known.current = appendLog(known.current, messages ?? [])
      setEntries(known.current)
      if (known.current.some(({ id, level }) => id > lastId && level === 'warning')) reloadParts(['warnings'])
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      // A hidden page or an unreachable daemon is handled by the frame of the page.
      const wanted = document.visibilityState === 'visible' && live.get().link === 'live'
      const fetched = wanted ? fetchLines().catch(() => undefined) : Promise.resolve()
      const planNext = () => {
        if (!ended.signal.aborted) timer = setTimeout(again, ASK_EVERY_MS)
      }
      detach(fetched.then(planNext))
    }
    again()
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [running])
  return entries
}
