import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { rowsNamedIn, rowsOf, testsByRow, withTests } from '../tools/fault-list.ts'

const document = readFileSync(join(import.meta.dirname, '..', 'docs', 'faults.md'), 'utf8')
const tests = testsByRow()

describe('docs/faults.md', () => {
  it('has every row once', () => {
    const rows = rowsOf(document)
    assert.equal(new Set(rows).size, rows.length)
    assert.ok(rows.length >= 97, `${rows.length} rows`)
  })

  it('has every row that a test names', () => {
    const rows = new Set(rowsOf(document))
    const unknown = [...tests].filter(([code]) => !rows.has(code)).map(([code, files]) => [code, ...files.keys()])
    assert.deepEqual(unknown, [])
  })

  it('names exactly the tests that there are', () => {
    const expected = withTests(document, tests).split('\n')
    const wrong = document.split('\n').filter((line, index) => line !== expected[index])
    assert.deepEqual(wrong, [], 'node tools/fault-list.ts writes the tests again')
  })
})

describe('the list of tests', () => {
  const row = '| X-01 | a fault | P1 | `test/gone.test.ts`: X-01: gone | 3 |'

  it('drops a test that is gone, and adds a new one', () => {
    assert.equal(withTests(row, new Map()), '| X-01 | a fault | P1 | not yet | 3 |')
    const found = new Map([['X-01', new Map([['test/new.test.ts', ['X-01: a|b'.replace('|', '\\|')]]])]])
    const filled = '| X-01 | a fault | P1 | `test/new.test.ts`: X-01: a\\|b | 3 |'
    assert.equal(withTests(row, found), filled)
    assert.equal(withTests(filled, found), filled)
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
