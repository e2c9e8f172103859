interface Point {
  readonly x: number
  readonly y: number
}

export interface Series {
  readonly title: string
  readonly points: readonly Point[]
}

export interface Chart {
  readonly title: string
  readonly xTitle: string
  /** Of the vertical axis. */
  readonly unit: string
  /** Of the vertical axis; the horizontal one always is. */
  readonly isLogarithmic: boolean
  readonly series: readonly Series[]
}

const [WIDTH, HEIGHT] = [720, 400]
const AREA = { left: 70, top: 50, right: 540, bottom: 340 } as const
/** Readable on white and on black. */
const INK = '#808080'
const COLOURS = ['#d1495b', '#2e86ab', '#3a9d5d', '#c98a00', '#8e6bbf', '#5a8f8f'] as const
const TICKS_MAX = 6
/** Of two titles of lines, one above the other. */
const TITLE_GAP = 16

type Scale = (value: number) => number

/** A line for each series over a logarithmic axis; each line has its title at its right end. */
export function lineChart({ title, xTitle, unit, isLogarithmic, series }: Chart): string {
  const all = series.flatMap(({ points }) => points)
  const xTicks = decades(all.map(({ x }) => x))
  const yTicks = isLogarithmic ? decades(all.map(({ y }) => y)) : steps(all.map(({ y }) => y))
  const toX = logScale(xTicks, AREA.left, AREA.right)
  const toY = (isLogarithmic ? logScale : linearScale)(yTicks, AREA.bottom, AREA.top)
  const parts = [
    text(AREA.left, 24, title, { size: 15, bold: true }),
    text(AREA.left - 8, AREA.top - 12, unit, { anchor: 'end' }),
    text((AREA.left + AREA.right) / 2, HEIGHT - 14, xTitle, { anchor: 'middle' }),
    ...xTicks.map((x) => text(toX(x), AREA.bottom + 18, thousands(x), { anchor: 'middle' })),
    ...yTicks.flatMap((y) => [
      line([AREA.left, toY(y)], [AREA.right, toY(y)], 'opacity="0.3"'),
      text(AREA.left - 8, toY(y) + 4, thousands(y), { anchor: 'end' }),
    ]),
    line([AREA.left, AREA.bottom], [AREA.right, AREA.bottom]),
    ...drawSeries(series, toX, toY),
  ]
  const size = `viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size}`
  return `${head} role="img" font-family="sans-serif">\n<title>${escaped(title)}</title>\n${parts.join('\n')}\n</svg>\n`
}

function drawSeries(series: readonly Series[], toX: Scale, toY: Scale): readonly string[] {
  const titleYs = spread(series.map(({ points }) => toY(points.at(-1)!.y)))
  return series.flatMap(({ title, points }, place) => {
    const colour = COLOURS[place % COLOURS.length]!
    const path = points.map(({ x, y }) => `${round(toX(x))},${round(toY(y))}`).join(' ')
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(({ x, y }) => `<circle cx="${round(toX(x))}" cy="${round(toY(y))}" r="3.5" fill="${colour}"/>`),
      text(AREA.right + 12, titleYs[place]! + 4, `${title}: ${figure(points.at(-1)!.y)}`, { colour }),
    ]
  })
}

/** The same order, with room for a line of text between any two. */
function spread(ys: readonly number[]): readonly number[] {
  const places = ys.map((_, place) => place).sort((a, b) => ys[a]! - ys[b]!)
  const result = [...ys]
  let above = Number.NEGATIVE_INFINITY
  for (const place of places) {
    above = Math.max(ys[place]!, above + TITLE_GAP)
    result[place] = above
  }
  return result
}

/** Powers of ten around all values. */
function decades(values: readonly number[]): readonly number[] {
  const [least, most] = [Math.floor(Math.log10(smallest(values))), Math.ceil(Math.log10(largest(values)))]
  return Array.from({ length: Math.max(2, most - least + 1) }, (_, i) => 10 ** (least + i))
}

/** From zero on, in steps of 1, 2 or 5 times a power of ten. */
function steps(values: readonly number[]): readonly number[] {
  const most = largest(values)
  const power = 10 ** Math.floor(Math.log10(most / TICKS_MAX))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each * TICKS_MAX >= most)!
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}

function logScale(ticks: readonly number[], from: number, to: number): Scale {
  const scale = linearScale(ticks.map(Math.log10), from, to)
  return (value) => scale(Math.log10(value))
}

function linearScale(ticks: readonly number[], from: number, to: number): Scale {
  const [first, last] = [ticks[0]!, ticks.at(-1)!]
  return (value) => from + ((value - first) / (last - first)) * (to - from)
}

function smallest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0)
}

function line(from: readonly [number, number], to: readonly [number, number], more = ''): string {
  const ends = `x1="${round(from[0])}" y1="${round(from[1])}" x2="${round(to[0])}" y2="${round(to[1])}"`
  return `<line ${ends} stroke="${INK}" ${more}/>`
}

interface TextStyle {
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly size?: number
  readonly bold?: boolean
  readonly colour?: string
}

function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { anchor = 'start', size = 12, bold = false, colour = INK } = style
  const weight = bold ? ' font-weight="bold"' : ''
  const where = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`
  return `<text ${where} font-size="${size}"${weight} fill="${colour}">${escaped(content)}</text>`
}

function figure(value: number): string {
  return value >= 100 ? thousands(Math.round(value)) : value.toFixed(1)
}

function thousands(value: number): string {
  return value.toLocaleString('en-US')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
