import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from '../../src/model/byte-budget.ts'
import { settle } from '../support/model.ts'

const NEVER = new AbortController().signal

test('a budget lets in what fits, first come, first served', async () => {
  const budget = new ByteBudget(100)
  const order: string[] = []
  const first = await budget.take(60, NEVER)
  const take = async (name: string, bytes: number) => {
    const held = await budget.take(bytes, NEVER)
    order.push(name)
    return held
  }
  const large = take('large', 80)
  const small = take('small', 10)
  await settle()
  assert.deepEqual(order, [], 'the small one does not overtake the large one')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await settle()
  assert.deepEqual(order, ['large', 'small'])
  assert.equal(budget.usedBytes, 90)
  for (const held of [await large, await small]) held[Symbol.dispose]()
  assert.equal(budget.usedBytes, 0)
})

test('something larger than the budget comes in alone, and does not wait for ever', async () => {
  const budget = new ByteBudget(10)
  const huge = await budget.take(1_000, NEVER)
  assert.equal(budget.usedBytes, 1_000)
  const next = budget.take(1, NEVER)
  huge[Symbol.dispose]()
  ;(await next)[Symbol.dispose]()
})

test('whoever gives up makes room for those behind, and holds nothing', async () => {
  const budget = new ByteBudget(10)
  const held = await budget.take(8, NEVER)
  const impatient = new AbortController()
  const waiting = budget.take(9, impatient.signal)
  const behind = budget.take(2, NEVER)
  impatient.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  ;(await behind)[Symbol.dispose]()
  held[Symbol.dispose]()
  assert.equal(budget.usedBytes, 0)
})

test('a larger limit takes effect at once', async () => {
  const budget = new ByteBudget(10)
  using _held = await budget.take(10, NEVER)
  const waiting = budget.take(5, NEVER)
  budget.setLimit(15)
  ;(await waiting)[Symbol.dispose]()
})
