import { useEffect } from 'preact/hooks'
import { nameOf } from '../facts/device.ts'
import { titleOf } from '../facts/title.ts'
import { overallStatusText } from '../facts/overall-status-text.ts'
import { overallStatus } from '../facts/overall-status.ts'
import { useLive } from '../live/live.ts'

/** Keeps the title of the tab up to date, for users who look at another tab. */
export function useTitle(): void {
  const title = useLive((state) => {
    if (state.config === undefined || state.link === 'locked') return 'Twinfold'
    const status = overallStatus(state)
    return titleOf(
      status.tone,
      overallStatusText(status),
      state.system === undefined ? '' : nameOf(state, state.system.myID),
    )
  })
  useEffect(() => {
    document.title = title
  }, [title])
}
