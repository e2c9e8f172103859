import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { effort } from '../../support/effort.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 })
const part = fc.oneof(text, fc.constantFrom('*', '**', '?', '[ab]', '/', 'a*b', '**/'))
const pattern = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(/\/+/g, '/'))
  .filter((line) => /[a-c?[]/.test(line))
const path = fc.array(text, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))

/** The patterns share words of states, and states of one pattern are under way where others start. */
test('ignore: of many patterns the first that matches alone decides', () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 20, maxLength: 60 }),
      fc.array(path, { minLength: 5, maxLength: 20 }),
      (lines, paths) => {
        const rules = new IgnoreRules(lines)
        const alone = rules.lines.map((line) => new IgnoreRules([line]))
        for (const one of paths) {
          const first = alone.findIndex((rule) => rule.match(one).ignored)
          assert.equal(rules.decidingLine(one), first < 0 ? undefined : first, `${one} in ${JSON.stringify(lines)}`)
        }
      },
    ),
    { numRuns: effort(150) },
  )
})
