import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviations, readBudget } from './support/budget.ts'
import { measureFileCosts } from './support/file-costs.ts'

test('a file that is scanned or pulled costs no more calls, statements, messages and bytes than budgeted', async () => {
  const costs = await measureFileCosts()
  for (const work of ['file scanned', 'file scanned again', 'file scanned again, alone', 'file pulled'])
    assert.ok((costs[work]?.['heap KiB allocated'] ?? 0) > 1, work)
  assert.deepEqual(deviations(readBudget(), costs), [])
})

test('more than the budget is named with counter, before and now; clearly less asks for a lower budget', () => {
  const budget = { pulled: { stat: 3, query: 10, sync: 0.05 } }
  const check = (now: Readonly<Record<string, number>>) => deviations(budget, { pulled: now })
  assert.deepEqual(check({ stat: 3, query: 10.1, sync: 0.06 }), [])
  assert.match(check({ stat: 4, query: 10, sync: 0.05 }).join(), /^pulled: stat: 3 before, 4 now; if that is worth it/)
  assert.match(check({ stat: 3, query: 8, sync: 0.05 }).join(), /^pulled: query: 10 before, 8 now; lower the budget/)
  assert.match(check({ stat: 3, query: 10, sync: 0.05, open: 1 }).join(), /^pulled: open: 0 before, 1 now/)
  assert.match(check({ stat: 3, query: 10 }).join(), /^pulled: sync: 0.05 before, 0 now; lower/)
  const allocated = (kib: number) => ({ pulled: { 'heap KiB allocated': kib } })
  assert.deepEqual(deviations(allocated(100), allocated(105)), [])
  assert.match(deviations(allocated(100), allocated(106)).join(), /^pulled: heap KiB allocated: 100 before, 106 now/)
  assert.equal(deviations({}, { pulled: { stat: 1 } }).length, 1)
})
