import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSince } from '../../src/cli/since.ts'

const NOW = new Date(2026, 10, 15, 12, 30, 0).getTime()
const local = (...[day, hours, minutes]: [number, number, number]) =>
  new Date(2026, 10, day, hours, minutes).toISOString()

const cases: [text: string, expected: string][] = [
  ['yesterday', local(14, 0, 0)],
  ['Today', local(15, 0, 0)],
  ['10:05', local(15, 10, 5)],
  ['23:00', local(14, 23, 0)],
  ['30m', local(15, 12, 0)],
  ['2h', local(15, 10, 30)],
  ['1d', local(14, 12, 30)],
  ['2026-11-13', local(13, 0, 0)],
  ['2026-11-13 08:00:00', local(13, 8, 0)],
  ['2026-11-13T08:00:00Z', '2026-11-13T08:00:00.000Z'],
  ['2026-11-13T08:00:00.5+01:00', '2026-11-13T07:00:00.500Z'],
]
for (const [text, expected] of cases) {
  test(`--since ${text}`, () => assert.equal(parseSince(text, NOW), expected))
}

for (const text of ['tomorrow', '', '25:00', '10:99', '5', 'soon', '2026-13-45', '1y']) {
  test(`--since '${text}' is refused with the forms that are understood`, () => {
    assert.throws(() => parseSince(text, NOW), { code: 'usage', message: /use a time .*yesterday, or an age/ })
  })
}
