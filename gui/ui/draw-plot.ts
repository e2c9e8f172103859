import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatRate } from '../i18n/format.ts'
import { seriesOf, SHOWN_S } from '../view-model/rates.ts'
import type { RatePoint } from '../live/state.ts'
import { language } from '../i18n/language.ts'

/** The scale does not shrink below this, so that keep-alive traffic stays small in the plot. */
const SCALE_BPS_MIN = 10_000
const AXIS_WIDTH = 76
const AXIS_HEIGHT = 28
/** The time shown grows with what is known of it, from two minutes on. */
const SHOWN_S_MIN = 120
const MINUTE_STEPS = [60, 120, 300]

/** Draws the rates into the element, in the colours of the theme. Rejects if uPlot, loaded on first use, cannot be. */
export async function drawPlot(
  element: HTMLElement,
  history: readonly RatePoint[],
  signal: AbortSignal,
): Promise<uPlot | undefined> {
  const { default: UPlot } = await import('uplot')
  if (signal.aborted) return undefined
  return new UPlot(optionsOf(element), plotData(history), element)
}

export function plotData(history: readonly RatePoint[]): uPlot.AlignedData {
  const [atS, inBps, outBps] = seriesOf(history)
  return [[...atS], [...inBps], [...outBps]]
}

function optionsOf(element: HTMLElement): uPlot.Options {
  const colour = (name: string) => colourOf(element, name)
  const grid = { stroke: colour('--line'), width: 1 }
  const axis = {
    stroke: colour('--text-soft'),
    grid,
    ticks: { show: false },
    font: `12px ${getComputedStyle(element).fontFamily}`,
  }
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: {
        time: true,
        range: (_plot, first, last) => [Math.max(last - SHOWN_S, Math.min(first, last - SHOWN_S_MIN)), last],
      },
      y: { range: (_plot, _least, most) => [0, Math.max(SCALE_BPS_MIN, most * 1.1)] },
    },
    axes: [
      { ...axis, size: AXIS_HEIGHT, space: 90, incrs: MINUTE_STEPS, values: (_plot, splits) => splits.map(clockTime) },
      { ...axis, size: AXIS_WIDTH, space: 36, values: (_plot, splits) => splits.map(formatRate) },
    ],
    series: [
      {},
      { stroke: colour('--accent'), width: 2, fill: colour('--accent-soft'), points: { show: false } },
      { stroke: colour('--good'), width: 2, dash: [6, 4], points: { show: false } },
    ],
  }
}

/** A colour of the theme as a plain value, because a canvas does not resolve CSS variables. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.removeProperty('color')
  return color
}

function clockTime(atS: number): string {
  return new Date(atS * 1_000).toLocaleTimeString(language.get(), {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
