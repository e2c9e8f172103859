import assert from 'node:assert/strict'
import { test } from 'node:test'
import { History, type Value } from './history.ts'

function historyOf(...devices: string[]): History {
  const history = new History(devices)
  history.connect(devices.slice(1).map((device) => ['a', device] as const))
  return history
}

function everywhere(...values: string[]): ReadonlySet<string> {
  return new Set(values)
}

function all(value: Value): ReadonlyMap<string, Value> {
  return new Map([
    ['a', value],
    ['b', value],
  ])
}

test('a value reaches connected devices after any delay and is not undone', () => {
  const history = historyOf('a', 'b')
  history.write('a', 'one')
  history.read('b', undefined)
  history.read('b', 'one')
  history.write('a', 'two')
  history.read('b', 'two')
  assert.deepEqual(history.unexplained, [])
  history.read('b', 'one')
  assert.deepEqual(history.unexplained, ['b reads one after two'])
})

test('unwritten and unreachable values are not explained', () => {
  const history = historyOf('a', 'b')
  history.read('a', 'torn')
  history.connect([])
  history.write('a', 'one')
  history.read('b', 'one')
  assert.deepEqual(history.unexplained, ['a reads torn after nothing', 'b reads one after nothing'])
})

test('either of two concurrent values may have the name, but both must exist', () => {
  const history = historyOf('a', 'b')
  history.connect([])
  history.write('a', 'one')
  history.write('b', 'two')
  history.connect([['a', 'b']])
  history.settled(all('two'), everywhere('one', 'two'))
  assert.deepEqual(history.unexplained, [])
  history.settled(all('two'), everywhere('two'))
  assert.deepEqual(history.unexplained, ['one is nowhere'])
})

test('converged devices have the same value, and a removal spares a concurrent value', () => {
  const different = historyOf('a', 'b')
  different.write('a', 'one')
  different.settled(
    new Map([
      ['a', 'one'],
      ['b', undefined],
    ]),
    everywhere('one'),
  )
  assert.ok(different.unexplained.some((line) => line.startsWith('converged, but different')))

  const removed = historyOf('a', 'b')
  removed.write('a', 'one')
  removed.read('b', 'one')
  removed.connect([])
  removed.write('b', undefined)
  removed.write('a', 'two')
  removed.connect([['a', 'b']])
  removed.settled(all(undefined), everywhere())
  assert.deepEqual(removed.unexplained, ['two is nowhere'])

  const gone = historyOf('a', 'b')
  gone.write('a', 'one')
  gone.read('b', 'one')
  gone.write('b', undefined)
  gone.settled(all(undefined), everywhere())
  assert.deepEqual(gone.unexplained, [])
})

test('a removed value stays removed, also when a read does not identify the removal', () => {
  const history = historyOf('a', 'b')
  history.write('a', 'one')
  history.read('b', 'one')
  history.write('a', undefined)
  history.read('b', undefined)
  history.read('b', 'one')
  assert.deepEqual(history.unexplained, ['b reads one after nothing'])
})

test('a device may have an older value after a power loss', () => {
  const history = historyOf('a', 'b')
  history.write('a', 'one')
  history.write('a', 'two')
  history.lostPower('a')
  history.read('a', 'one')
  assert.deepEqual(history.unexplained, [])
})
