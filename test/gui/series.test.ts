import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pastRates, seriesBars, shareStep, withPast } from '../../gui/view-model/series.ts'
import { seriesOf } from '../../gui/view-model/rates.ts'
import type { SeriesJson } from '../../src/rest/series.ts'

const START = '2026-11-18T10:00:00Z'
const REPLY: SeriesJson = {
  level: 'minute',
  stepS: 60,
  start: START,
  series: [
    { kind: 'in', subject: '', values: [100, null, 300] },
    { kind: 'out', subject: '', values: [1, null, 3] },
    { kind: 'behind', subject: 'docs', values: [0, null, 0] },
  ],
  left: 0,
}

test('the plot continues what was recorded before the page was opened, with a gap where nothing is known', () => {
  const past = pastRates(REPLY)
  assert.equal(past.length, 12)
  const liveMs = Date.parse(START) + 150_000
  const history = [{ atMs: liveMs, inBps: 7, outBps: 7 }]
  const joined = withPast(past, history)
  assert.equal(joined.length, 6 + 3 + 1, 'what overlaps is shown once')
  const [, inBps] = seriesOf(joined)
  assert.equal(inBps.filter((value) => value === null).length, 1, 'one gap, for the minute without figures')
  assert.equal(inBps.at(-1), 7)
  assert.equal(withPast([], history), history)
  assert.deepEqual(withPast(past, []), [])
})

test('a reply with a bucket of a thousand years does not make points without end', () => {
  assert.equal(pastRates({ ...REPLY, stepS: Number.MAX_SAFE_INTEGER }).length, 12)
  const long = {
    ...REPLY,
    series: [{ kind: 'in', subject: '', values: Array.from({ length: 1e6 }, () => 1) } as const],
  }
  assert.equal(pastRates(long).length, 360)
  assert.equal(seriesBars(long, 'in', '')?.bars.length, 840)
})

test('bars are relative to the highest; a series that was always 0 has none', () => {
  const found = seriesBars(REPLY, 'in', '')
  assert.equal(found?.most, 300)
  assert.deepEqual(
    found?.bars.map(({ height }) => height),
    [100 / 300, undefined, 1],
  )
  assert.equal(seriesBars(REPLY, 'behind', 'docs'), undefined)
  assert.equal(seriesBars(REPLY, 'in', 'other'), undefined)
})

test('the cell of a day is empty, darker with the time, or unknown', () => {
  assert.deepEqual([undefined, 0, 0.1, 0.5, 0.7, 1].map(shareStep), [undefined, 0, 1, 2, 3, 4])
})
