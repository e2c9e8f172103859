import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Aggregate, aggregateDelays } from '../../src/scanner/aggregate.ts'

const DELAYS: readonly [delayS: number, timeoutS: number, delayMs: number, timeoutMs: number][] = [
  [10, 0, 10_000, 60_000],
  [1, 0, 1_000, 6_000],
  [0, 0, 10_000, 60_000],
  [0.001, 0, 10, 60],
  [90, 0, 90_000, 90_000],
  [10, 5, 10_000, 10_000],
  [10, 30, 10_000, 30_000],
]
for (const [fsWatcherDelayS, fsWatcherTimeoutS, delayMs, timeoutMs] of DELAYS) {
  test(`aggregateDelays: delay ${fsWatcherDelayS} s, timeout ${fsWatcherTimeoutS} s`, () => {
    assert.deepEqual(aggregateDelays({ fsWatcherDelayS, fsWatcherTimeoutS }), { delayMs, timeoutMs })
  })
}

const make = (): Aggregate => new Aggregate({ delayMs: 1_000, timeoutMs: 6_000 })

test('aggregate: a change is due after half the delay without events', () => {
  const aggregate = make()
  aggregate.add({ kind: 'changed', path: 'a' }, 0)
  aggregate.add({ kind: 'changed', path: 'a' }, 800)
  assert.deepEqual(aggregate.take(1_000), [])
  assert.deepEqual(aggregate.take(1_300), [['a']])
  assert.ok(aggregate.isEmpty)
})

test('aggregate: a file written continuously is scanned at the timeout', () => {
  const aggregate = make()
  for (let ms = 0; ms <= 6_000; ms += 100) aggregate.add({ kind: 'changed', path: 'log' }, ms)
  assert.deepEqual(aggregate.take(6_000), [['log']])
})

test('aggregate: deletions wait for the timeout, unless only deletions are tracked', () => {
  const aggregate = make()
  aggregate.add({ kind: 'removed', path: 'gone' }, 0)
  aggregate.add({ kind: 'changed', path: 'new' }, 0)
  assert.deepEqual(aggregate.take(1_000), [['new']])
  assert.deepEqual(aggregate.take(2_000), [['gone']])
  aggregate.add({ kind: 'removed', path: 'lone' }, 3_000)
  assert.deepEqual(aggregate.take(4_000), [['lone']])
})

test('aggregate: removed and created again is mixed, and comes between changes and deletions', () => {
  const aggregate = make()
  aggregate.add({ kind: 'removed', path: 'z-gone' }, 0)
  aggregate.add({ kind: 'removed', path: 'mixed' }, 0)
  aggregate.add({ kind: 'changed', path: 'mixed' }, 0)
  aggregate.add({ kind: 'changed', path: 'new' }, 5_900)
  assert.deepEqual(aggregate.take(6_500), [['new'], ['mixed'], ['z-gone']])
})

test('aggregate: a file that was written and deleted, or deleted and written, waits no longer than others', () => {
  for (const [first, second] of [
    ['changed', 'removed'],
    ['removed', 'changed'],
  ] as const) {
    const aggregate = new Aggregate({ delayMs: 1_000, timeoutMs: 6_000 })
    aggregate.add({ kind: first, path: 'a' }, 0)
    aggregate.add({ kind: second, path: 'a' }, 100)
    aggregate.add({ kind: 'removed', path: 'gone' }, 100)
    assert.deepEqual(aggregate.take(500), [])
    assert.deepEqual(aggregate.take(1_000), [['a'], ['gone']])
  }
})

test('aggregate: an event of a directory replaces the tracked paths below it', () => {
  const aggregate = make()
  aggregate.add({ kind: 'changed', path: 'd/x' }, 0)
  aggregate.add({ kind: 'changed', path: 'd/y/z' }, 0)
  aggregate.add({ kind: 'changed', path: 'd' }, 0)
  aggregate.add({ kind: 'changed', path: 'd/later' }, 0)
  assert.deepEqual(aggregate.take(1_000), [['d']])
})

test('aggregate: 128 paths of a directory are listed, one more makes it the directory', () => {
  const aggregate = make()
  for (let i = 0; i < 128; i++) aggregate.add({ kind: 'changed', path: `d/${i}` }, 0)
  assert.equal(aggregate.take(1_000)[0]?.length, 128)
  for (let i = 0; i < 129; i++) aggregate.add({ kind: 'changed', path: `d/${i}` }, 2_000)
  assert.deepEqual(aggregate.take(3_000), [['d']])
})

test('aggregate: 512 paths at the root are listed, one more is a full scan; so is an overflow', () => {
  const aggregate = make()
  for (let i = 0; i < 512; i++) aggregate.add({ kind: 'changed', path: `${i}` }, 0)
  assert.equal(aggregate.take(1_000)[0]?.length, 512)
  for (let i = 0; i < 513; i++) aggregate.add({ kind: 'changed', path: `${i}` }, 2_000)
  assert.deepEqual(aggregate.take(3_000), [['']])
  aggregate.add({ kind: 'changed', path: 'x' }, 4_000)
  aggregate.add({ kind: 'overflow' }, 4_000)
  assert.deepEqual(aggregate.take(5_000), [['']])
})
