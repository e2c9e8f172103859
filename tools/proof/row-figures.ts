import type { Row } from './rows.ts'

/** How a figure begins that was taken from the lines of a test run. */
export const FROM_TESTS = '`npm test`: '
/** Of one row: a test of many parts prints a line for each. */
const LINES_MAX = 4
/** What names a part of a test, before its figures. */
const LABELS: readonly string[] = ['part', 'what', 'where', 'how', 'kind', 'signal', 'version', 'file']
/** Seeds repeat a run; times and memory are those of one machine. */
const NOT_SHOWN = /^(?:tried|seed|secs.*|seconds)$|(?:Ms|Secs|PerSec|PerSecond|[KM]i[Bb]|[a-z]S)$/

/** The figures of each row, as text for its cell. */
export function rowFigures(rows: readonly Row[]): ReadonlyMap<string, string> {
  const byId = Map.groupBy(rows, ({ id }) => id)
  return new Map([...byId].map(([id, lines]) => [id, figureOf(lines)]))
}

function figureOf(rows: readonly Row[]): string {
  const texts = [...new Set(rows.map(lineOf))]
  const more = texts.length > LINES_MAX ? [`and ${texts.length - LINES_MAX} more`] : []
  return `${FROM_TESTS}${[...texts.slice(0, LINES_MAX), ...more].join('; ')}`
}

function lineOf(row: Row): string {
  const entries = Object.entries(row)
  const labels = entries.flatMap(([name, value]) =>
    LABELS.includes(name) ? [String(value).replaceAll('|', '\\|')] : [],
  )
  const numbers = entries.filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !NOT_SHOWN.test(entry[0]),
  )
  const figures = [`${row.tried.toLocaleString('en')} tried`, ...numbers.map(figureText)].join(', ')
  return [...labels, figures].join(': ')
}

function figureText([name, value]: readonly [string, number]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words} ${value.toLocaleString('en')}`
}
