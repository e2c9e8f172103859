import { useEffect, useRef } from 'preact/hooks'
import { addressOf } from '../../base/address.ts'
import { useLive } from '../../live/live.ts'
import { Store, useStore } from '../../base/store.ts'
import { Section } from '../../ui/parts.tsx'
import { RatePlot } from '../../ui/plot.tsx'
import { t } from '../../i18n/texts.ts'

/** Counts the requests to show the plot. */
const wanted = new Store(0)
let shown = 0

/** Goes to the overview and brings the plot into sight. */
export function showThroughput(): void {
  location.hash = addressOf()
  wanted.update((count) => count + 1)
}

/** The throughput of all devices together. */
export function Throughput() {
  const history = useLive((state) => state.history)
  const requested = useStore(wanted, (value) => value)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (requested === shown) return
    shown = requested
    place.current?.scrollIntoView({ block: 'center' })
    place.current?.focus()
  }, [requested])
  return (
    <div ref={place} class="overview-plot" tabIndex={-1}>
      <Section title={t('plot.title')}>
        <div class="card">
          <RatePlot label={t('plot.title')} history={history} subject="" />
        </div>
      </Section>
    </div>
  )
}
