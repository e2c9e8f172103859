import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordedRuns, type Run } from '../../tools/proof/runs.ts'
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
