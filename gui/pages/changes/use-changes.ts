import { detach } from '../../../src/core/errors.ts'
import { useEffect, useState } from 'preact/hooks'
import { withChanges, type FileChange } from '../../view-model/changes.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'

const CHANGES_MAX = 500
const WAIT_S = 60
const GRACE_MS = 15_000
const RETRY_MS = 2_000
/** Many changes a second are shown in batches. */
const BATCH_MS = 500

/** The changes on disk since the daemon started, newest first; undefined until the first response. */
export function useChanges(): readonly FileChange[] | undefined {
  const [changes, setChanges] = useState<readonly FileChange[]>()
  const isLive = useLive((state) => state.link === 'live')
  useEffect(() => {
    if (!isLive) return undefined
    const ended = new AbortController()
    detach(follow(setChanges, ended.signal))
    return () => ended.abort()
  }, [isLive])
  return changes
}

/** A restarted daemon counts from one again, so the earlier changes are replaced. */
async function follow(show: (changes: readonly FileChange[]) => void, signal: AbortSignal): Promise<void> {
  let known: readonly FileChange[] = []
  let since = 0
  let timeoutS = 0
  while (!signal.aborted) {
    try {
      const query = { since, limit: CHANGES_MAX, timeout: timeoutS }
      const events = await client.call('GET /rest/events/disk', {
        query,
        signal,
        timeoutMs: timeoutS * 1_000 + GRACE_MS,
      })
      since = events.at(-1)?.id ?? since
      known = withChanges(known, events, CHANGES_MAX)
      timeoutS = WAIT_S
      if (!signal.aborted) show(known)
      if (events.length > 0) await new Promise((resolve) => setTimeout(resolve, BATCH_MS))
    } catch {
      // The frame of the page shows a lost connection; this list resumes when the daemon is back.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
