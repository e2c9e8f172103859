import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordedRuns, type Run } from '../../tools/proof/runs.ts'
import { rowOf, soakRun } from '../../tools/proof/rows.ts'
import { summaryOf, withSummary } from '../../tools/proof.ts'

const RUN: Run = {
  date: '2026-01-02',
  commit: 'abc',
  command: 'npm run chaos',
  seconds: 1_800,
  rounds: 2,
  inputs: 1_000,
  faults: 3,
  failures: 0,
}

describe('the summary of docs/faults.md', () => {
  it('is what the recorded runs give', () => {
    const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'faults.md'), 'utf8')
    assert.equal(withSummary(document, summaryOf(recordedRuns())), document, 'npm run proof writes it again')
  })

  it('adds up the runs of a kind and names the last', () => {
    const runs = new Map([['other', [RUN, { ...RUN, date: '2026-01-03', commit: 'def', failures: 1 }]]])
    assert.equal(summaryOf(runs).split('\n').at(-1), '| other | 2 | 4 | 1.00 | 2,000 | 6 | 1 | 2026-01-03 | def |')
  })

  it('replaces the former one and nothing else', () => {
    const marks = ['<!-- summary: written by npm run proof -->', '<!-- end of the summary -->']
    assert.equal(withSummary(`a\n${marks[0]}\nold\n${marks[1]}\nb`, 'new'), `a\n${marks[0]}\n\nnew\n\n${marks[1]}\nb`)
    assert.throws(() => withSummary('no marks', 'new'), /no marks/)
  })
})

describe('a recorded soak', () => {
  it('takes the rows from the lines that tests print, and nothing else', () => {
    assert.deepEqual(rowOf('{"id":"C-01","tried":4,"torn":0}'), { id: 'C-01', tried: 4, torn: 0 })
    for (const line of [
      '',
      'text',
      '{"id":"C-01"}',
      '{"id":"C-01","tried":"4"}',
      '{"id":"C-01","tried":4',
      '{"tried":4}',
    ])
      assert.equal(rowOf(line), undefined)
  })

  it('counts crashes and damage as faults, everything else as inputs', () => {
    const rows = [
      { id: 'C-01', tried: 200 },
      { id: 'D-04', tried: 3 },
      { id: 'B-05', tried: 1_000 },
      { id: 'B-05', tried: 1 },
    ]
    const { rounds, inputs, faults, failures } = soakRun('npm run soak -- 20', 7, rows, 2)
    assert.deepEqual({ rounds, inputs, faults, failures }, { rounds: 3, inputs: 1_001, faults: 203, failures: 2 })
  })
})
