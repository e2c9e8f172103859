import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from './rows.ts'
import { lineChart, type Chart, type Series } from './svg.ts'

/** The rows of one line: the number in the name of a row is how many files it was measured with. */
interface Line {
  readonly title: string
  readonly row: RegExp
}

interface ChartSpec extends Pick<Chart, 'title' | 'unit' | 'isLogarithmic'> {
  readonly file: string
  readonly lines: readonly Line[]
}

const request = (title: string, row: string): Line => ({ title, row: new RegExp(`^index-(\\d+)-${row}-cpu$`) })
const many = (title: string, row: string): Line => ({ title, row: new RegExp(`^sync-many-(\\d+)-${row}$`) })

const CHARTS: readonly ChartSpec[] = [
  {
    file: 'requests.svg',
    title: 'Requests about a large index: CPU of one',
    unit: 'ms',
    isLogarithmic: true,
    lines: [
      request('db/browse, top', 'browse'),
      request('history of a file', 'history-file'),
      request('db/need, any page', 'need-page'),
      request('tree, top', 'tree'),
      request('search, many found', 'search'),
      request('db/status', 'status'),
    ],
  },
  {
    file: 'memory.svg',
    title: 'Synchronizing tiny files: resident memory',
    unit: 'MiB',
    isLogarithmic: false,
    lines: [
      many('sink, peak', 'sink-peak'),
      many('source, peak', 'source-peak'),
      many('sink, 60 s after', 'sink-rested'),
      many('source, 60 s after', 'source-rested'),
    ],
  },
  {
    file: 'cost.svg',
    title: 'Synchronizing tiny files: CPU of both ends',
    unit: 'µs a file',
    isLogarithmic: false,
    lines: [many('both ends', 'cpu')],
  },
]

/** Draws what the figures of earlier runs (`--json`) allow; returns the names of the files written. */
export function drawCharts(jsonFiles: readonly string[], directory: string): readonly string[] {
  const samples = jsonFiles.flatMap((path) => parseSamples(readFileSync(path, 'utf8')))
  mkdirSync(directory, { recursive: true })
  return CHARTS.flatMap(({ file, lines, ...spec }) => {
    const series = lines.map((line) => seriesOf(line, samples)).filter(({ points }) => points.length > 1)
    if (series.length === 0) return []
    writeFileSync(join(directory, file), lineChart({ ...spec, xTitle: 'files', series }))
    return [file]
  })
}

function parseSamples(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Sample)
}

/** The median for each number of files. */
function seriesOf({ title, row }: Line, samples: readonly Sample[]): Series {
  const byCount = Map.groupBy(
    samples.filter((sample) => row.test(sample.row)),
    (sample) => Number(row.exec(sample.row)?.[1]),
  )
  const points = [...byCount].map(([x, own]) => {
    const values = own.map(({ value }) => value).sort((a, b) => a - b)
    return { x, y: values[Math.floor(values.length / 2)]! }
  })
  return { title, points: points.sort((a, b) => a.x - b.x) }
}
