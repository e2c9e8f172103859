import { useEffect } from 'preact/hooks'
import { attentionCounts } from '../view-model/attention.ts'
import { deviceNameById } from '../view-model/device.ts'
import { overallStatusText } from '../view-model/overall-status-text.ts'
import { titleOf } from '../view-model/title.ts'
import { useLive } from '../live/live.ts'
import { useShownStatus } from './shown-status.ts'

/** Keeps the title of the tab up to date, for users who look at another tab. */
export function useTitle(): void {
  const status = useShownStatus()
  const isKnown = useLive((state) => state.config !== undefined && state.link !== 'locked')
  const device = useLive((state) => (state.system === undefined ? '' : deviceNameById(state, state.system.myID)))
  const count = useLive((state) => attentionCounts(state).entries)
  const title = isKnown ? titleOf(status.tone, overallStatusText(status), device, count) : 'Twinfold'
  useEffect(() => {
    document.title = title
  }, [title])
}
