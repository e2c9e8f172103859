import { test } from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawCharts } from '../../bench/charts.ts'
import { lineChart } from '../../bench/svg.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('a chart is drawn from the figures of a run, and those without two sizes are left out', () => {
  using scratch = scratchDirectory()
  const json = join(scratch.path, 'figures.json')
  const sample = (row: string, value: number) => JSON.stringify({ row, subject: 'twinfold > twinfold', value })
  const lines = [
    sample('sync-many-10000-sink-peak', 100),
    sample('sync-many-1000000-sink-peak', 200),
    sample('sync-many-10000-cpu', 600),
  ]
  writeFileSync(json, `${lines.join('\n')}\n`)
  assert.deepEqual(drawCharts([json], scratch.path), ['memory.svg'])
  const svg = readFileSync(join(scratch.path, 'memory.svg'), 'utf8')
  assert.match(svg, />sink, peak: 200</)
  assert.match(svg, />1,000,000</)
  assert.doesNotMatch(svg, /NaN|Infinity/)
})

test('titles of lines that end at the same value are apart, and text is escaped', () => {
  const points = [
    { x: 10, y: 5 },
    { x: 100, y: 7 },
  ]
  const series = [
    { title: 'a < b', points },
    { title: 'c', points },
  ]
  const svg = lineChart({ title: 'T & U', xTitle: 'files', unit: 'ms', isLogarithmic: false, series })
  const ys = [...svg.matchAll(/y="([\d.]+)"[^>]*>(?:a &lt; b|c): 7\.0</g)].map(([, y]) => Number(y))
  assert.equal(ys.length, 2)
  assert.ok(Math.abs(ys[0]! - ys[1]!) >= 16, String(ys))
  assert.match(svg, /T &amp; U/)
})
