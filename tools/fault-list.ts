/**
 * Writes the tests of each row of docs/faults.md into the file: those that name the row in their title or in the line
 * that they print. `test/fault-list.test.ts` fails when the file names a test that does not exist. With the output of a
 * test run (`node tools/fault-list.ts LOG`), rows without a figure of a longer run get those that the tests printed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { filesOf } from './imports.ts'
import { FROM_TESTS, rowFigures } from './proof/row-figures.ts'
import { rowOf } from './proof/rows.ts'
import { isTitled } from './sizes.ts'

const root = join(import.meta.dirname, '..')
const PATH = join(root, 'docs', 'faults.md')
const CODE = /\b[A-Z]-\d{2}\b/g
const ROW = /^\| ([A-Z]-\d{2}) \|/
const TESTS_COLUMN = 4
const FIGURE_COLUMN = 5
const NONE = 'not yet'

/** Titles by row and file. */
type TestsByRow = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** The rows that the tests of a file name, each with the titles; without a title for a line printed elsewhere. */
export function rowsNamedIn(file: string, text: string): ReadonlyMap<string, readonly string[]> {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const tests: { readonly start: number; readonly end: number; readonly title: string }[] = []
  const printed: { readonly code: string; readonly at: number }[] = []
  new Visitor({
    CallExpression: (call) => {
      const [first] = call.arguments
      if (first === undefined || !isTitled(call)) return
      const title = text.slice(first.start + 1, first.end - 1).replace(/\$\{[^}]*\}/g, '…')
      tests.push({ start: call.start, end: call.end, title: title.replaceAll('|', '\\|') })
    },
    Property: ({ key, value }) => {
      if (key.type !== 'Identifier' || key.name !== 'id' || value.type !== 'Literal') return
      if (typeof value.value === 'string' && /^[A-Z]-\d{2}$/.test(value.value)) {
        printed.push({ code: value.value, at: value.start })
      }
    },
  }).visit(program)
  const rows = new Map<string, Set<string>>()
  const add = (code: string, title: string) => rows.set(code, (rows.get(code) ?? new Set<string>()).add(title))
  for (const { title } of tests) for (const [code] of title.matchAll(CODE)) add(code, title)
  for (const { code, at } of printed) {
    const around = tests.filter(({ start, end }) => start < at && at < end).at(-1)
    if (around !== undefined) add(code, around.title)
    else if (!rows.has(code)) add(code, '')
  }
  return new Map([...rows].map(([code, titles]) => [code, [...titles].filter((title) => title !== '')]))
}

export function testsByRow(): TestsByRow {
  const rows = new Map<string, Map<string, readonly string[]>>()
  for (const file of filesOf(root, 'test/**/*.ts')) {
    for (const [code, titles] of rowsNamedIn(file, readFileSync(join(root, file), 'utf8'))) {
      rows.set(code, (rows.get(code) ?? new Map<string, readonly string[]>()).set(file, titles))
    }
  }
  return rows
}

/** The rows of the document, in its order. */
export function rowsOf(document: string): readonly string[] {
  return document.split('\n').flatMap((line) => ROW.exec(line)?.[1] ?? [])
}

/** The document with the cells of each row changed. */
function withCells(document: string, change: (code: string, cells: string[]) => void): string {
  const fill = (line: string): string => {
    const code = ROW.exec(line)?.[1]
    if (code === undefined) return line
    const cells = line.split(/(?<!\\)\|/)
    change(code, cells)
    return cells.join('|')
  }
  return document.split('\n').map(fill).join('\n')
}

/** The document with the tests of each row filled in. A row that has none keeps its text, or says so. */
export function withTests(document: string, tests: TestsByRow): string {
  return withCells(document, (code, cells) => {
    const found = tests.get(code)
    const kept = /^`[\w/-]+`/.test((cells[TESTS_COLUMN] ?? '').trim())
      ? NONE
      : (cells[TESTS_COLUMN] ?? '').trim() || NONE
    cells[TESTS_COLUMN] = ` ${found === undefined ? kept : testsText(found)} `
  })
}

/** The document with the figures of a test run, in rows that have none, or those of an earlier test run. */
export function withFigures(document: string, figures: ReadonlyMap<string, string>): string {
  return withCells(document, (code, cells) => {
    const [earlier, figure] = [(cells[FIGURE_COLUMN] ?? '').trim(), figures.get(code)]
    if (figure !== undefined && (earlier === '' || earlier.startsWith(FROM_TESTS))) cells[FIGURE_COLUMN] = ` ${figure} `
  })
}

function figuresIn(output: string): ReadonlyMap<string, string> {
  return rowFigures(output.split('\n').flatMap((line) => rowOf(line) ?? []))
}

/** The test files that the document names for its rows and that have no test of the row, one line each. */
export function missingTests(document: string, tests: TestsByRow): readonly string[] {
  return document.split('\n').flatMap((line) => {
    const code = ROW.exec(line)?.[1]
    if (code === undefined) return []
    const named = (line.split(/(?<!\\)\|/)[TESTS_COLUMN] ?? '').matchAll(/`([\w/-]+)`/g)
    const files = new Set([...(tests.get(code)?.keys() ?? [])].map(shortName))
    return [...named].flatMap(([, name = '']) => (files.has(name) ? [] : [`${code}: ${name} has no test of this row`]))
  })
}

/** The path below test/, without the ending: a row has one line, and titles of tests name the row. */
function shortName(file: string): string {
  return file.replace(/^test\//, '').replace(/(\.test)?\.ts$/, '')
}

function testsText(files: ReadonlyMap<string, readonly string[]>): string {
  return [...files.keys()].map((file) => `\`${shortName(file)}\``).join(' ')
}

if (import.meta.main) {
  const [log] = process.argv.slice(2)
  const figures = log === undefined ? new Map<string, string>() : figuresIn(readFileSync(log, 'utf8'))
  writeFileSync(PATH, withFigures(withTests(readFileSync(PATH, 'utf8'), testsByRow()), figures))
}
