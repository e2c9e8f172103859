import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRuns, comparisonText, type Comparison, type RunPair } from '../../bench/compare.ts'
import type { RowInfo, Sample } from '../../bench/rows.ts'

const INFOS: ReadonlyMap<string, RowInfo> = new Map([
  ['scan', { title: 'first scan', unit: 'ms', better: 'less' }],
  ['rate', { title: 'requests', unit: 'requests/s', better: 'more' }],
])

function sample(row: string, value: number, more: Partial<Sample> = {}): Sample {
  return { row, subject: 'twinfold', value, ...more }
}

/** One pair for each ratio of after to before. */
function pairsOf(row: string, ratios: readonly number[], before = 100): readonly RunPair[] {
  return ratios.map((ratio) => ({ before: [sample(row, before)], after: [sample(row, before * ratio)] }))
}

function changeOf(row: string, ratios: readonly number[]): Comparison['change'] | undefined {
  return compareRuns(INFOS, pairsOf(row, ratios))[0]?.change
}

test('a change of more than 5 % beyond the noise has a direction', () => {
  assert.equal(changeOf('scan', [1.1, 1.1, 1.1]), 'worse')
  assert.equal(changeOf('scan', [0.9, 0.9, 0.9]), 'better')
  assert.equal(changeOf('rate', [0.9, 0.9, 0.9]), 'worse')
  assert.equal(changeOf('rate', [1.1, 1.1, 1.1]), 'better')
  assert.equal(changeOf('scan', [1.04, 1.04, 1.04]), 'none')
})

test('noise hides a change that is no larger, and one disturbed pair of six does not count as noise', () => {
  assert.equal(changeOf('scan', [1.0, 1.1, 1.2]), 'none')
  assert.equal(changeOf('scan', [1.2, 1.2, 1.2, 1.2, 1.9]), 'none', 'five pairs')
  assert.equal(changeOf('scan', [1.2, 1.2, 1.2, 1.2, 1.2, 1.9]), 'worse', 'six pairs')
  assert.equal(changeOf('scan', [1.2, 1.2, 1.2, 1.2, 0.9, 1.9]), 'none', 'two of them disturbed')
})

test('CPU, peak and memory afterwards are compared as well, each where both have it', () => {
  const took = { cpuS: 1, peakRssMib: 100, rssMib: 80 }
  const pair = {
    before: [sample('rate', 5, took)],
    after: [sample('rate', 5, { cpuS: 2, peakRssMib: 100, rssMib: 120 })],
  }
  const found = compareRuns(INFOS, [pair, pair])
  assert.deepEqual(
    found.map(({ measure, change, unit }) => [measure, change, unit]),
    [
      ['figure', 'none', 'requests/s'],
      ['CPU', 'worse', 's'],
      ['peak RSS', 'none', 'MiB'],
      ['RSS afterwards', 'worse', 'MiB'],
    ],
  )
  const tick = { before: [sample('rate', 5, { cpuS: 0.01 })], after: [sample('rate', 5, { cpuS: 0.02 })] }
  assert.deepEqual(
    compareRuns(INFOS, [tick]).map(({ measure }) => measure),
    ['figure'],
    'two ticks of the clock say nothing',
  )
})

test('rows that one side lacks, and limits of the machine, are left out', () => {
  const others: Sample[] = [
    { row: 'scan', subject: 'limit', value: 1 },
    { row: 'scan', subject: 'bare Node', value: 2 },
    { row: 'scan', subject: 'rsync --fsync', value: 3 },
  ]
  const pairs = [{ before: [sample('scan', 100), ...others], after: [sample('scan', 100), sample('rate', 7)] }]
  assert.deepEqual(
    compareRuns(INFOS, pairs).map(({ row, before, ratio }) => [row, before, ratio]),
    [['scan', 100, 1]],
  )
})

test('a figure that was zero and is not any more is worse, and one that stays zero is not', () => {
  const pairs = (after: number) => [0, 1].map(() => ({ before: [sample('scan', 0)], after: [sample('scan', after)] }))
  assert.equal(compareRuns(INFOS, pairs(0))[0]?.change, 'none')
  assert.equal(compareRuns(INFOS, pairs(3))[0]?.change, 'worse')
})

test('a line names row, both medians, ratio, noise and verdict', () => {
  const [found] = compareRuns(INFOS, pairsOf('scan', [1.5, 1.5, 1.6]))
  assert.equal(comparisonText(found!), 'first scan: 100 → 150 ms, 1.50 x (noise 7 %), worse')
})
