import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeGuard, parseGuard } from '../../../src/core/guard/guard-state.ts'

const LOSS = { sinceMs: 5, origin: 'local', deletions: 3, truncations: 1 } as const

test('holds and notices survive, and what is damaged is nothing', () => {
  const notices = [{ ...LOSS, kind: 'rewritten' }] as const
  const stored = encodeGuard(new Map([['local', { ...LOSS, names: 'left out' }]]), notices)
  assert.deepEqual(parseGuard(stored), { holds: [['local', LOSS]], notices })
  for (const damaged of [
    '',
    '{}',
    'null',
    '{"holds":1}',
    '{"holds":[1],"notices":[]}',
    '{"holds":[["x",{}]],"notices":[{}]}',
  ])
    assert.deepEqual(parseGuard(Buffer.from(damaged)), { holds: [], notices: [] }, damaged)
  assert.deepEqual(parseGuard(undefined), { holds: [], notices: [] })
})
