import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Profile } from 'pprof-format'
import { encodePprof } from '../../../src/core/formats/pprof.ts'

const node = (name: string, parent: number | undefined, count: number, amount: number, file = 'a.js', line = 1) => ({
  name,
  file,
  line,
  parent,
  count,
  amount,
})

/** A profile as tools read it. */
function decoded(kind: 'cpu' | 'heap', nodes: readonly ReturnType<typeof node>[]) {
  const profile = Profile.decode(encodePprof({ kind, durationMs: 2_500.4, nodes }, 1_700_000_000_123))
  const text = (at: number | bigint) => profile.stringTable.strings[Number(at)]
  const functions = new Map(profile.function.map((each) => [Number(each.id), each]))
  const locations = new Map(profile.location.map((each) => [Number(each.id), each]))
  const place = (id: number | bigint) => {
    const [line] = locations.get(Number(id))!.line
    const made = functions.get(Number(line!.functionId))!
    return `${text(made.name)} ${text(made.filename)}:${line!.line}`
  }
  return {
    types: profile.sampleType.map(({ type, unit }) => `${text(type)} ${text(unit)}`),
    samples: profile.sample.map(({ locationId, value }) => [locationId.map(place), value.map(Number)]),
    functions: profile.function.length,
    timeNanos: BigInt(profile.timeNanos),
    durationNanos: BigInt(profile.durationNanos),
  }
}

test('pprof: samples with their stacks, the innermost call first', () => {
  const nodes = [
    node('root', undefined, 0, 0),
    node('main', 0, 2, 20),
    node('inner', 1, 3, 30.6, 'b.js', 7),
    node('main', 2, 0, 5, 'a.js', 9),
    node('idle', 0, 1, 0),
  ]
  const cpu = decoded('cpu', nodes)
  assert.deepEqual(cpu.types, ['samples count', 'cpu nanoseconds'])
  assert.deepEqual(cpu.samples, [
    [
      ['main a.js:1', 'root a.js:1'],
      [2, 20_000],
    ],
    [
      ['inner b.js:7', 'main a.js:1', 'root a.js:1'],
      [3, 30_600],
    ],
    [
      ['main a.js:9', 'inner b.js:7', 'main a.js:1', 'root a.js:1'],
      [0, 5_000],
    ],
    [
      ['idle a.js:1', 'root a.js:1'],
      [1, 0],
    ],
  ])
  assert.equal(cpu.functions, 4, 'one function per name and file')
  assert.equal(cpu.timeNanos, 1_700_000_000_123_000_000n)
  assert.equal(cpu.durationNanos, 2_500_000_000n)
})

test('pprof: a heap in bytes', () => {
  const heap = decoded('heap', [node('root', undefined, 1, 12)])
  assert.deepEqual(heap.types, ['inuse_objects count', 'inuse_space bytes'])
  assert.deepEqual(heap.samples, [[['root a.js:1'], [1, 12]]])
})
