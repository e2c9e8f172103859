import { useEffect, useState } from 'preact/hooks'
import type { OverTimePlots } from './over-time-plots.tsx'

/** Figures over time of all devices, of one, or of a folder. Loaded when it is shown: the first view does without. */
export function OverTime(props: Parameters<typeof OverTimePlots>[0]) {
  const [loaded, setLoaded] = useState<{ readonly OverTimePlots: typeof OverTimePlots } | undefined>(undefined)
  useEffect(() => {
    import('./over-time-plots.tsx').then(setLoaded).catch(() => setLoaded(undefined)) // the bar above tells why
  }, [])
  return loaded === undefined ? null : <loaded.OverTimePlots {...props} />
}
