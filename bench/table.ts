import type { RowInfo, Sample, Subject } from './rows.ts'

interface Figures {
  readonly median: number
  readonly best: number
  readonly samples: number
  readonly cpuS: number | undefined
  readonly peakRssMib: number | undefined
}

const PROGRAMS = ['twinfold', 'syncthing'] as const
const HEAD = ['work', 'unit', 'limit', ...PROGRAMS.flatMap((name) => [name, 'best', 'CPU s', 'peak MiB', 'of limit']), 'goal', 'met']

/** The whole result as a table in Markdown, columns aligned so that it also reads in a terminal. */
export function renderTable(infos: ReadonlyMap<string, RowInfo>, samples: readonly Sample[]): string {
  const lines: string[][] = []
  for (const [row, info] of infos) {
    const own = samples.filter((sample) => sample.row === row)
    if (own.length > 0) lines.push(renderRow(info, own))
  }
  const widths = HEAD.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)))
  const draw = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [draw(HEAD), draw(widths.map((width) => '-'.repeat(width))), ...lines.map(draw)].join('\n')
}

function renderRow(info: RowInfo, samples: readonly Sample[]): string[] {
  const limit = figuresOf(info, samples, 'limit')
  const cells = [info.title, info.unit, limit === undefined ? '' : figure(limit.median)]
  for (const name of PROGRAMS) {
    const own = figuresOf(info, samples, name)
    if (own === undefined) cells.push('', '', '', '', '')
    else cells.push(figure(own.median), figure(own.best), figure(own.cpuS), figure(own.peakRssMib), ratioText(info, own, limit))
  }
  return [...cells, ...goalCells(info, figuresOf(info, samples, 'twinfold'), limit)]
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  return (upper + lower) / 2
}

/** How much of the limit's speed was reached: above 1 is quicker than one thread alone. */
function ratio(info: RowInfo, own: Figures, limit: Figures): number {
  return info.better === 'less' ? limit.median / own.median : own.median / limit.median
}

function ratioText(info: RowInfo, own: Figures, limit: Figures | undefined): string {
  if (info.unit === 'MiB') return ''
  return limit === undefined ? '' : `${ratio(info, own, limit).toFixed(2)} x`
}

function goalCells(info: RowInfo, own: Figures | undefined, limit: Figures | undefined): string[] {
  if (info.goal === undefined) return ['', '']
  if ('atMost' in info.goal) return [`<= ${info.goal.atMost}`, own === undefined ? '' : answer(own.median <= info.goal.atMost)]
  const met = own !== undefined && limit !== undefined ? answer(ratio(info, own, limit) >= info.goal.ofLimit) : ''
  return [`>= ${info.goal.ofLimit} x`, met]
}

function answer(met: boolean): string {
  return met ? 'yes' : 'no'
}

function figure(value: number | undefined): string {
  if (value === undefined) return ''
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value >= 10 ? 1 : 2)
}
