import { useEffect, useMemo, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { theme } from '../base/theme.ts'
import { formatRate } from '../i18n/format.ts'
import { meanRate, peakRate } from '../view-model/rates.ts'
import { client } from '../live/client.ts'
import { useQuery } from '../live/query.ts'
import type { RatePoint } from '../live/state.ts'
import { pastRates, withPast } from '../view-model/series.ts'
import { useStore } from '../base/store.ts'
import { t } from '../i18n/texts.ts'
import { drawPlot, plotData } from './draw-plot.ts'
import { Icon } from './icon.tsx'

const RETRY_MS = 2_000
/** As long as the plot is. */
const PAST_MINUTES = 11

interface RatePlotProps {
  readonly label: string
  /** What the page has seen itself. */
  readonly history: readonly RatePoint[]
  /** The ID of a device; empty for all together. */
  readonly subject: string
}

/** The rates of the last ten minutes, also of those before the page was opened: as a drawing, and as text. */
export function RatePlot({ label, history: seen, subject }: RatePlotProps) {
  const query = { level: 'minute', count: PAST_MINUTES, subject } as const
  const { value } = useQuery(subject, (signal) => client.call('GET /rest/twinfold/series', { query, signal }))
  const past = useMemo(() => (value === undefined ? [] : pastRates(value)), [value])
  const history = useMemo(() => withPast(past, seen), [past, seen])
  const [now, peak] = [meanRate(history.slice(-1)), peakRate(history)]
  const current = { in: formatRate(now.inBps), out: formatRate(now.outBps) }
  const most = { in: formatRate(peak.inBps), out: formatRate(peak.outBps) }
  const words = t('plot.text', { ...current, inMost: most.in, outMost: most.out })
  return (
    <figure class="plot">
      <Canvas label={label} words={words} history={history} />
      <figcaption class="plot-legend">
        <span class="plot-in">
          <Icon name="down" size={14} />
          {t('plot.in')} <strong>{current.in}</strong>
        </span>
        <span class="plot-out">
          <Icon name="up" size={14} />
          {t('plot.out')} <strong>{current.out}</strong>
        </span>
        <span class="soft">{t('plot.most', most)}</span>
      </figcaption>
    </figure>
  )
}

interface CanvasProps {
  readonly label: string
  readonly words: string
  readonly history: readonly RatePoint[]
}

function Canvas({ label, words, history }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const latest = useRef(history)
  latest.current = history
  const chosen = useStore(theme, (value) => value)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      clearTimeout(timer)
      drawPlot(element, latest.current, ended.signal).then(
        (drawn) => {
          if (drawn === undefined) return
          plot.current?.destroy()
          plot.current = drawn
        },
        // The daemon stopped before the plot was loaded from it.
        () => {
          if (!ended.signal.aborted) timer = setTimeout(draw, RETRY_MS)
        },
      )
    }
    // Colours are read when the plot is made: another theme makes another one.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw, { signal: ended.signal })
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    resized.observe(element)
    draw()
    return () => {
      ended.abort()
      clearTimeout(timer)
      resized.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [chosen])
  useEffect(() => plot.current?.setData(plotData(history)), [history])
  return <div ref={place} class="plot-place" role="img" aria-label={`${label}: ${words}`} />
}
