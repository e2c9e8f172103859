import { isProgram, type RowInfo, type Sample } from './rows.ts'

/** What is compared in a row: its figure, and what the process took for it. */
type Measure = 'figure' | 'CPU' | 'peak RSS' | 'RSS afterwards'

/** The samples of one commit and of this tree, measured one after the other. */
export interface RunPair {
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
}

export interface Comparison {
  readonly row: string
  readonly title: string
  readonly unit: string
  readonly measure: Measure
  readonly before: number
  readonly after: number
  /** The median of the ratios after / before, one for each pair. */
  readonly ratio: number
  /** How far the pairs are from it, as a factor above 1: the farthest one, or the second of six or more. */
  readonly noise: number
  /** By more than the limit beyond the noise. */
  readonly change: 'none' | 'worse' | 'better'
}

/** Smaller changes are not worth a name. */
const CHANGE_MIN = 1.05
/** A single pair may be disturbed; with this many it is left out. */
const PAIRS_WITHOUT_WORST = 6
/** A figure that was zero has no ratio. */
const LOG_MAX = Math.log(1_000)
/** The system counts CPU time in ticks of 10 ms. */
const CPU_S_MIN = 0.1

/** Every row that both have, in the order of the table. */
export function compareRuns(infos: ReadonlyMap<string, RowInfo>, pairs: readonly RunPair[]): readonly Comparison[] {
  return [...infos].flatMap(([row, info]) => [
    ...compared(row, info, 'figure', pairs, ({ value }) => value),
    ...compared(row, info, 'CPU', pairs, ({ cpuS }) => (cpuS === undefined || cpuS < CPU_S_MIN ? undefined : cpuS)),
    ...compared(row, info, 'peak RSS', pairs, ({ peakRssMib }) => peakRssMib),
    ...compared(row, info, 'RSS afterwards', pairs, ({ rssMib }) => rssMib),
  ])
}

function compared(
  row: string,
  { title, unit, better }: RowInfo,
  measure: Measure,
  pairs: readonly RunPair[],
  pick: (sample: Sample) => number | undefined,
): readonly Comparison[] {
  const figures = pairs.flatMap(({ before, after }) => {
    const [old, now] = [medianIn(before, row, pick), medianIn(after, row, pick)]
    return old === undefined || now === undefined ? [] : [{ old, now }]
  })
  if (figures.length === 0) return []
  const logs = figures.map(({ old, now }) => (old === now ? 0 : bounded(Math.log(now / old))))
  const middle = median(logs)
  const distances = logs.map((log) => Math.abs(log - middle)).sort((a, b) => b - a)
  const noise = distances[logs.length >= PAIRS_WITHOUT_WORST ? 1 : 0] ?? 0
  const isMore = measure === 'figure' && better === 'more'
  const isChanged = Math.abs(middle) - noise > Math.log(CHANGE_MIN)
  const change = isChanged ? (middle > 0 === isMore ? 'better' : 'worse') : 'none'
  const [before, after] = [median(figures.map(({ old }) => old)), median(figures.map(({ now }) => now))]
  const shownUnit = measure === 'figure' ? unit : measure === 'CPU' ? 's' : 'MiB'
  return [
    { row, title, unit: shownUnit, measure, before, after, ratio: Math.exp(middle), noise: Math.exp(noise), change },
  ]
}

function bounded(log: number): number {
  return Math.min(LOG_MAX, Math.max(-LOG_MAX, log))
}

/** Without limits of the machine and what is measured for comparison. */
function medianIn(
  samples: readonly Sample[],
  row: string,
  pick: (sample: Sample) => number | undefined,
): number | undefined {
  const own = samples.filter((sample) => sample.row === row && isProgram(sample.subject))
  const values = own.flatMap((sample) => pick(sample) ?? [])
  return values.length === 0 ? undefined : median(values)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = (sorted.length - 1) / 2
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2
}

/** One line each: `first scan, 10,000 files, CPU: 1.20 s → 1.40 s, 1.17 x (noise 3 %), worse`. */
export function comparisonText({ title, measure, unit, before, after, ratio, noise, change }: Comparison): string {
  const what = measure === 'figure' ? title : `${title}, ${measure}`
  const spread = `noise ${((noise - 1) * 100).toFixed(0)} %`
  const verdict = change === 'none' ? '' : `, ${change}`
  return `${what}: ${shown(before)} → ${shown(after)} ${unit}, ${ratio.toFixed(2)} x (${spread})${verdict}`
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)
}
