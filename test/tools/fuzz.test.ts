import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { COUNTERS, instrument } from '../../tools/fuzz/instrument.ts'
import type { Coverage } from '../../tools/fuzz/coverage.ts'
import { growMessage, setNumber } from '../../tools/fuzz/grow.ts'
import { fuzz } from '../../tools/fuzz/loop.ts'
import { sizeOf } from '../../tools/fuzz/size-of.ts'
import { Chance } from '../interop/random-changes.ts'
import { referenceType } from '../protocol/reference-schema.ts'

describe('fuzzing', () => {
  it('counts every branch, and changes no result', async () => {
    const text = `export function f(a: number, b?: string): string {
      if (a > 2) return 'large'
      else if (a === 2) { return 'two' }
      for (const each of [1]) a += each
      const g = (x: number) => ({ x })
      return (a === 1 && b) || (b ?? (a ? String(g(a).x) : 'none'))
    }`
    const { text: counted, count } = instrument('a.ts', text, 7)
    assert.equal(count, 11)
    const counters = new Uint32Array(30)
    Reflect.set(globalThis, COUNTERS, counters)
    const [plain, instrumented] = await Promise.all([loaded(text), loaded(counted)])
    for (const args of [[3], [2], [1], [0, 'b'], [0], [-1], [-1, 'b'], [0, '']] as const)
      assert.equal(instrumented(...args), plain(...args), `${args}`)
    assert.deepEqual(
      [...counters.keys()].filter((id) => counters[id] !== 0),
      Array.from({ length: 11 }, (_, i) => 7 + i),
    )
  })

  it('takes an input for slow only if it stays slow', async () => {
    const failuresOf = async (slowRuns: number) => {
      let runs = 0
      const run = () => {
        const begun = process.threadCpuUsage()
        if (++runs <= slowRuns) while (process.threadCpuUsage(begun).user < 12_000);
      }
      const coverage = { reset: () => {}, add: () => false, reached: 0 } as unknown as Coverage
      const options = { corpus: [new Uint8Array(1)], seed: 1, isRefusal: () => false, isOver: () => true }
      return (await fuzz({ name: 'slow', keptPerByteMax: 1, inputMsMax: 10, run }, coverage, options)).failures.length
    }
    assert.deepEqual([await failuresOf(6), await failuresOf(Infinity)], [0, 1])
    assert.ok(Error.stackTraceLimit > 0, 'other tests of this process have stack traces')
  })

  it('tries large inputs as well, and changes none of them further', async () => {
    const sizes: number[] = []
    const run = (input: Uint8Array) => void sizes.push(input.length)
    const coverage = { reset: () => {}, add: () => true, reached: 0 } as unknown as Coverage
    const options = {
      corpus: [new Uint8Array(8)],
      seed: 1,
      isRefusal: () => false,
      isOver: (runs: number) => runs > 6_000,
    }
    await fuzz({ name: 'sizes', keptPerByteMax: 1, sizeBytesMax: 256, grownBytesMax: 100_000, run }, coverage, options)
    const large = sizes.filter((size) => size > 256)
    assert.ok(large.length > 10 && large.length <= 15, `${large.length} large inputs`)
    assert.ok(Math.max(...sizes) <= 100_000)
  })

  it('grows messages at any depth, and they stay messages', () => {
    const cluster = referenceType('ClusterConfig')
    const devices = [{ id: Buffer.alloc(32, 7), name: 'a', addresses: ['tcp://b'] }]
    const small = cluster.encode(cluster.fromObject({ folders: [{ id: 'f', label: 'l', devices }] })).finish()
    const chance = new Chance(1)
    const seen = new Set<string>()
    for (let round = 0; round < 200; round++) {
      const grown = growMessage(small, chance, 20_000)
      assert.ok(grown.length > 15_000 && grown.length < 21_000, `${grown.length} bytes`)
      const { folders } = cluster.toObject(cluster.decode(grown), { arrays: true })
      if (folders.length > 100) seen.add('folders')
      else if (folders[0].devices.length > 100) seen.add('devices')
      else if (folders[0].devices[0].addresses.length > 100) seen.add('addresses')
    }
    assert.deepEqual([...seen].sort(), ['addresses', 'devices', 'folders'])
  })

  it('sets numbers of messages at any depth to limits, and they stay messages', () => {
    const cluster = referenceType('ClusterConfig')
    const devices = [{ id: Buffer.alloc(32, 7), max_sequence: 5 }]
    const small = cluster.encode(cluster.fromObject({ folders: [{ id: 'f', devices }] })).finish()
    const chance = new Chance(1)
    const seen = new Set<string>()
    for (let round = 0; round < 500; round++) {
      const { folders } = cluster.toObject(cluster.decode(setNumber(small, chance)), { longs: String })
      seen.add(String(folders[0].devices[0].max_sequence))
    }
    for (const value of ['5', '1000000000', '9007199254740992']) assert.ok(seen.has(value), [...seen].join(' '))
  })

  it('weighs what is kept, and a view of the input by its own length', () => {
    const input = new Uint8Array(1_000)
    assert.ok(sizeOf(input.subarray(0, 10), input) < 100)
    assert.ok(sizeOf(new Uint8Array(input), input) >= 1_000)
    assert.ok(sizeOf(new Uint8Array(input).subarray(0, 1), input) >= 1_000)
    assert.ok(sizeOf(Buffer.from('small'), input) < 100)
    assert.ok(sizeOf([{ a: 'x'.repeat(500) }], input) >= 1_000)
    assert.ok(sizeOf(new Map([['k', 'x'.repeat(500)]]), input) >= 1_000)
  })
})

async function loaded(text: string): Promise<(...args: readonly (number | string)[]) => string> {
  const module: { readonly f: (...args: readonly (number | string)[]) => string } = await import(
    `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(text))}`
  )
  return module.f
}
