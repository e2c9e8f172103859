import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import { reportRow } from '../../support/effort.ts'

const N = (count: number, line: (number: string, i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(String(i).padStart(5, '0'), i))

/** Files of the maximum accepted size, each built to keep the matcher in as many states as possible. */
const SLOW_FILES: Readonly<Record<string, readonly string[]>> = {
  stars: N(2_000, (n) => `*${'a*'.repeat(19)}a${n}x`),
  'double stars': N(2_200, (n) => `**${'a**'.repeat(12)}a${n}x`),
  'equal letters': N(1_000, (n) => `*${'a'.repeat(90)}${n}x*y`),
  'question marks': N(1_100, (n) => `**${'?'.repeat(80)}${n}`),
  'wide ranges': N(190, (n) => `**${'[a-\uffff]'.repeat(29)}*${n}x`),
  'deep names': N(290, (_, i) => `${'a/'.repeat(i)}b?`),
  endings: N(1_400, (_, i) => `*${'a'.repeat(i)}b`),
  beginnings: N(1_400, (_, i) => `${'a'.repeat(i)}b*`),
  'lines of four thousand': N(24, (n) => `*${'a?'.repeat(2_000)}*${n}`),
  'ten thousand short lines': N(10_000, (n) => `*a*${n}`),
  'ten thousand plain lines': N(
    10_000,
    (n, i) => ['*.', '/', '', 'x/', '~'][i % 5]! + n + 'a'.repeat(90) + (i % 5 === 4 ? '*' : ''),
  ),
  alternatives: N(20, (n) => `{${N(300, (m) => `a*${m}`).join(',')}}${n}x`),
  'without case': N(2_000, (n) => `(?i)*${'a*'.repeat(19)}a${n}x`),
}
const SLOW_PATHS = [
  'a'.repeat(4_096),
  `${`${'a'.repeat(250)}/`.repeat(16)}z`,
  `${'a/'.repeat(2_047)}a`,
  Array.from({ length: 2_047 }, (_, i) => String.fromCharCode(0x100 + (i % 1_500))).join(''),
]

test('N-11: files and paths built to be slow', () => {
  const worst = { file: '', cpuMs: 0 }
  let tried = 0
  for (const [file, lines] of Object.entries(SLOW_FILES)) {
    const rules = new IgnoreRules(lines)
    for (const path of SLOW_PATHS) {
      const before = process.cpuUsage()
      assert.equal(rules.match(path).ignored, false, file)
      const { user, system } = process.cpuUsage(before)
      tried++
      if (user + system > worst.cpuMs * 1_000)
        Object.assign(worst, { file, cpuMs: Math.round((user + system) / 1_000) })
    }
  }
  reportRow({ id: 'N-11', part: 'match', tried, worstCpuMs: worst.cpuMs, file: worst.file })
})

/** Without a clock: an ordinary path costs next to nothing, however many patterns there are that do not fit it. */
for (const [name, line, most] of [
  ['two texts around two stars', (n) => `s${n}**e${n}`, 4_000],
  ['the same start', (n) => `start**${n}`, 4_000],
  ['several stars', (n) => `x${n}*m*${n}`, 4_000],
  ['choices', (n) => `{s,t}${n}**{e,f}${n}`, 16_000],
  ['without case', (n) => `(?i)S${n}**E${n}`, 4_000],
] as const satisfies readonly [string, (n: string) => string, number][]) {
  test(`N-11: thousands of patterns with ${name} do not cost a path that none of them fits`, () => {
    const rules = new IgnoreRules(N(name === 'choices' ? 1_000 : 7_000, line))
    const paths = N(200, (n) => `photos/2026/holiday-${n}/picture-${n}.jpg`)
    for (const path of paths) rules.match(path) // what is computed once per character
    const before = rules.steps
    for (const path of paths) assert.equal(rules.match(path).ignored, false)
    const perPath = (rules.steps - before) / paths.length
    assert.ok(perPath < 100, `${perPath} steps a path`)
    const worst = new IgnoreRules(N(name === 'choices' ? 1_000 : 7_000, line))
    const path = 'start s00001x00001 '.repeat(50)
    worst.match(path)
    assert.ok(worst.steps < most * path.length, `${worst.steps / path.length} steps a character`)
  })
}

/** The bound behind the figure above, without a clock: nothing larger than these files is accepted. */
for (const [file, lines] of Object.entries(SLOW_FILES)) {
  if (/ings$|plain/.test(file)) continue
  test(`N-11: a file much larger than the one of ${file} is refused, and the refusal names a line`, () => {
    const more = lines.map((line) => line.replace(/^(\(\?i\))?/, '$1*'))
    assert.throws(
      () =>
        new IgnoreRules([
          ...lines,
          ...more.map((line) => `${line}?`),
          ...more.map((line) => `${line}??`),
          ...more.map((line) => `${line}???`),
        ]),
      (error) => {
        assert.ok(error instanceof TwinfoldError && error.code === 'ignore-invalid')
        assert.match(
          error.message,
          /^invalid pattern ".+" in ignore file: parse error: too many long patterns in this file$/,
        )
        return true
      },
    )
  })
}
