import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isCovered } from '../../tools/mutants/baseline.ts'
import { figuresOf } from '../../tools/mutants/run-tests.ts'
import { equivalentReason } from '../../tools/mutants/equivalent.ts'
import { mutantsOf, plantedSource } from '../../tools/mutants/mutate.ts'
import { TestsOf } from '../../tools/mutants/tests-of.ts'

const root = join(import.meta.dirname, '..', '..')

function planted(source: string): readonly string[] {
  return mutantsOf('x.ts', source).map((mutant) => plantedSource(source, mutant))
}

describe('planted faults', () => {
  const cases: readonly (readonly [source: string, planted: readonly string[]])[] = [
    ['a < b', ['a <= b']],
    ['a + 1', ['a - 1', 'a + 2']],
    ['a ?? b', ['a']],
    ['if (a) b', ['if (true) b', 'if (false) b']],
    ['a()', ['']],
    ["const a = ['b']", ['const a = []', "const a = ['']"]],
    ['const a = !b', ['const a = b']],
    ['const a = i++', ['const a = i--']],
  ]
  for (const [source, wanted] of cases) it(`of ${source}`, () => assert.deepEqual(planted(source), wanted))

  it('are none in types, comments, imports, and texts of errors and log lines', () => {
    const sources = [
      "type A = 'a' | 1",
      '// a < b',
      "import { a } from 'b'",
      "throw new RangeError('a' + b)",
      "const a = () => log.warn('b')",
      "log.debug(() => 'b')",
    ]
    for (const source of sources) assert.deepEqual(planted(source), [], source)
  })
})

describe('the tests that can find a fault', () => {
  const groups = new TestsOf(root).groups('src/http/pipeline/csrf.ts')
  const tests = groups.flat()
  it('begin with those named like the file', () => assert.deepEqual(groups[0], ['test/http/pipeline/csrf.test.ts']))
  it('contain none twice, and none that start processes', () => {
    assert.equal(new Set(tests).size, tests.length)
    assert.deepEqual(
      tests.filter((test) => /^test\/(?:process|package|interop|arm64|browser)\//.test(test)),
      [],
    )
  })
})

describe('a fault that changes no behaviour', () => {
  const mutant = (code: string, change: string) => ({ file: 'x.ts', start: 0, end: 0, text: '', line: 1, code, change })
  const sort = 'names.sort((a, b) => (a < b ? -1 : 1))'
  it('has a reason', () => assert.match(equivalentReason(mutant(sort, '1 → 2')) ?? '', /sign/))
  it('is only the one that is listed', () => {
    assert.equal(equivalentReason(mutant(sort, '< → <=')), undefined)
    assert.equal(equivalentReason(mutant('const a = 1', '1 → 2')), undefined)
  })
})

describe('a place in a source', () => {
  const ranges = [
    { startOffset: 0, endOffset: 100, count: 1 },
    { startOffset: 20, endOffset: 60, count: 0 },
    { startOffset: 30, endOffset: 40, count: 3 },
  ]
  const cases: readonly (readonly [offset: number, wanted: boolean])[] = [
    [0, true],
    [19, true],
    [20, false],
    [30, true],
    [39, true],
    [40, false],
    [60, true],
    [100, false],
  ]
  for (const [offset, wanted] of cases)
    it(`at ${offset} is ${wanted ? '' : 'not '}run by a test, as the innermost range counts`, () =>
      assert.equal(isCovered(ranges, offset), wanted))
})

describe('the reports of a run', () => {
  it('are one line for each thread, of which each may have run a place', () => {
    const range = { startOffset: 0, endOffset: 9, count: 1 }
    const lines = [{ cpuMs: 20, coverage: { a: [range] } }, { cpuMs: 30, coverage: {} }, { cpuMs: 10 }]
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    assert.deepEqual(figuresOf(text), { cpuMs: 30, coverage: [{ a: [range] }, {}] })
  })
})
