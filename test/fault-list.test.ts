import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { missingTests, rowsNamedIn, rowsOf, testsByRow, withFigures, withTests } from '../tools/fault-list.ts'
import { rowFigures } from '../tools/proof/row-figures.ts'
import type { Row } from '../tools/proof/rows.ts'

const document = readFileSync(join(import.meta.dirname, '..', 'docs', 'faults.md'), 'utf8')
const tests = testsByRow()
const ROW_LENGTH_MAX = 600

describe('docs/faults.md', () => {
  it('has every row once', () => {
    const rows = rowsOf(document)
    assert.equal(new Set(rows).size, rows.length)
    assert.ok(rows.length >= 97, `${rows.length} rows`)
  })

  it('has one short line for every row', () => {
    const long = document.split('\n').filter((line) => /^\| [A-Z]-\d{2} \|/.test(line) && line.length > ROW_LENGTH_MAX)
    assert.deepEqual(long, [], 'figures and their stories belong in docs/proof/faults.md')
  })

  it('has every row that a test names', () => {
    const rows = new Set(rowsOf(document))
    const unknown = [...tests].filter(([code]) => !rows.has(code)).map(([code, files]) => [code, ...files.keys()])
    assert.deepEqual(unknown, [])
  })

  it('names only tests that exist', () => {
    assert.deepEqual(missingTests(document, tests), [], 'node tools/fault-list.ts writes the tests again')
  })
})

describe('the list of tests', () => {
  const row = '| X-01 | a fault | P1 | `model/gone` | 3 |'

  it('drops a test that is gone, and adds a new one', () => {
    assert.equal(withTests(row, new Map()), '| X-01 | a fault | P1 | not yet | 3 |')
    const found = new Map([['X-01', new Map([['test/model/new.test.ts', ['X-01: a']]])]])
    const filled = '| X-01 | a fault | P1 | `model/new` | 3 |'
    assert.equal(withTests(row, found), filled)
    assert.equal(withTests(filled, found), filled)
  })

  it('finds a file without a test of the row', () => {
    const there = new Map([['X-01', new Map([['test/a.test.ts', ['X-01: a']]])]])
    const named = (tests: string) => missingTests(`| X-01 | a fault | P1 | ${tests} | 3 |`, there)
    assert.deepEqual(named('`a`'), [])
    assert.deepEqual(named('`a` `model/gone`'), ['X-01: model/gone has no test of this row'])
  })

  it('takes rows from titles and from printed lines', () => {
    const text = `it(\`X-01: \${name}\`, () => {})
      it('another', () => { reportRow({ id: 'X-02', tried: 1 }) })
      function report() { reportRow({ id: 'X-03', tried: 1 }) }`
    assert.deepEqual(
      rowsNamedIn('a.test.ts', text),
      new Map([
        ['X-01', ['X-01: …']],
        ['X-02', ['another']],
        ['X-03', []],
      ]),
    )
  })
})

describe('the list of figures', () => {
  const id = 'X-01'
  const printed: readonly Row[] = [
    { id, tried: 4_000, errorsListed: 3, seed: 1, secs: 9, peakRssMiB: 80 } as Row,
    { id, part: 'a|b', tried: 1, torn: 0 } as Row,
  ]
  const figures = rowFigures(printed)
  const shown = '`npm test`: 4,000 tried, errors listed 3; a\\|b: 1 tried, torn 0'

  it('takes numbers and parts from the printed lines, without times, seeds and memory', () => {
    assert.deepEqual(figures, new Map([['X-01', shown]]))
  })

  it('replaces figures of test runs only', () => {
    const row = (figure: string) => `| X-01 | a fault | P1 | not yet |${figure}|`
    assert.equal(withFigures(row('  '), figures), row(` ${shown} `))
    assert.equal(withFigures(row(' `npm test`: 1 tried '), figures), row(` ${shown} `))
    assert.equal(withFigures(row(' 200 kills '), figures), row(' 200 kills '))
    assert.equal(withFigures(row('  '), new Map()), row('  '))
  })
})
