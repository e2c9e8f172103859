import { isProgram, type RowInfo, type Sample, type Subject } from './rows.ts'

interface Figures {
  readonly median: number
  readonly best: number
  readonly samples: number
  readonly cpuS: number | undefined
  readonly peakRssMib: number | undefined
}

const PAIR_HEAD = ['work', 'source > sink', 'unit', 'limit', 'median', 'best', 'of limit', 'CPU s', 'goal', 'met']

/** The whole result as a table in Markdown, columns aligned so that it also reads in a terminal. */
export function renderTable(infos: ReadonlyMap<string, RowInfo>, samples: readonly Sample[]): string {
  const subjects = measuredSubjects(samples.filter(({ row }) => infos.has(row)))
  const head = subjects.flatMap((name) => [name, 'best', 'CPU s', 'peak MiB', 'of limit'])
  const lines: string[][] = []
  for (const [row, info] of infos) {
    const own = samples.filter((sample) => sample.row === row)
    if (own.length > 0) lines.push(renderRow(info, own, subjects))
  }
  return drawTable(['work', 'unit', 'limit', ...head, 'goal', 'met'], lines)
}

/** One line per work and pair of devices. Goals are those of Twinfold with itself. */
export function renderPairTable(infos: ReadonlyMap<string, RowInfo>, samples: readonly Sample[]): string {
  const pairs = measuredSubjects(samples.filter(({ row }) => infos.has(row)))
  const lines: string[][] = []
  for (const [row, info] of infos) {
    const own = samples.filter((sample) => sample.row === row)
    const limit = figuresOf(info, own, 'limit')
    for (const pair of pairs) {
      const figures = figuresOf(info, own, pair)
      if (figures === undefined) continue
      const measured = [
        figure(limit?.median),
        figure(figures.median),
        figure(figures.best),
        ratioText(info, figures, limit),
        figure(figures.cpuS),
      ]
      lines.push([
        info.title,
        pair,
        info.unit,
        ...measured,
        ...(pair === 'twinfold > twinfold' ? goalCells(info, figures, limit, bestOther(info, own, pairs)) : ['', '']),
      ])
    }
  }
  return drawTable(PAIR_HEAD, lines)
}

/** In the order of their first figures, which is that of the run. */
function measuredSubjects(samples: readonly Sample[]): readonly Subject[] {
  return [...new Set(samples.map(({ subject }) => subject))].filter((subject) => subject !== 'limit')
}

/** The best of the others in this row, each with itself: a goal is met when it is met beside all of them. */
function bestOther(info: RowInfo, samples: readonly Sample[], subjects: readonly Subject[]): Figures | undefined {
  const others = subjects.filter((subject) => isProgram(subject) && !subject.includes('twinfold'))
  const figures = others.flatMap((subject) => figuresOf(info, samples, subject) ?? [])
  return figures.toSorted((a, b) => (info.better === 'less' ? a.median - b.median : b.median - a.median))[0]
}

function drawTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)))
  const draw = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [draw(head), draw(widths.map((width) => '-'.repeat(width))), ...lines.map(draw)].join('\n')
}

function renderRow(info: RowInfo, samples: readonly Sample[], subjects: readonly Subject[]): string[] {
  const limit = figuresOf(info, samples, 'limit')
  const cells = [info.title, info.unit, limit === undefined ? '' : figure(limit.median)]
  for (const name of subjects) {
    const own = figuresOf(info, samples, name)
    if (own === undefined) cells.push('', '', '', '', '')
    else
      cells.push(
        figure(own.median),
        figure(own.best),
        figure(own.cpuS),
        figure(own.peakRssMib),
        ratioText(info, own, limit),
      )
  }
  return [...cells, ...goalCells(info, figuresOf(info, samples, 'twinfold'), limit, bestOther(info, samples, subjects))]
}

function figuresOf(info: RowInfo, samples: readonly Sample[], subject: Subject): Figures | undefined {
  const own = samples.filter((sample) => sample.subject === subject)
  const values = own.map((sample) => sample.value).sort((a, b) => a - b)
  const best = info.better === 'less' ? values[0] : values.at(-1)
  if (best === undefined) return undefined
  const cpu = own.flatMap((sample) => sample.cpuS ?? [])
  const peaks = own.flatMap((sample) => sample.peakRssMib ?? [])
  return {
    median: median(values),
    best,
    samples: values.length,
    cpuS: cpu.length > 0 ? median(cpu) : undefined,
    peakRssMib: peaks.length > 0 ? Math.max(...peaks) : undefined,
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  return (upper + lower) / 2
}

/** How much of the limit's speed was reached: above 1 is faster than one thread alone. */
function ratio(info: RowInfo, own: Figures, limit: Figures): number {
  return info.better === 'less' ? limit.median / own.median : own.median / limit.median
}

function ratioText(info: RowInfo, own: Figures, limit: Figures | undefined): string {
  if (info.unit === 'MiB') return ''
  return limit === undefined ? '' : `${ratio(info, own, limit).toFixed(2)} x`
}

function goalCells(info: RowInfo, own: Figures | undefined, limit: Figures | undefined, other?: Figures): string[] {
  if (info.goal === undefined) return ['', '']
  if ('atMost' in info.goal)
    return [`<= ${info.goal.atMost}`, own === undefined ? '' : yesNo(own.median <= info.goal.atMost)]
  if ('ofSyncthing' in info.goal) {
    const met = own !== undefined && other !== undefined ? yesNo(ratio(info, own, other) >= info.goal.ofSyncthing) : ''
    return [`>= ${info.goal.ofSyncthing} x other`, met]
  }
  const met = own !== undefined && limit !== undefined ? yesNo(ratio(info, own, limit) >= info.goal.ofLimit) : ''
  return [`>= ${info.goal.ofLimit} x`, met]
}

function yesNo(met: boolean): string {
  return met ? 'yes' : 'no'
}

function figure(value: number | undefined): string {
  if (value === undefined) return ''
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}
