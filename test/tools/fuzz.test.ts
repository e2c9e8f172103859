import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { COUNTERS, instrument } from '../../tools/fuzz/instrument.ts'
import type { Coverage } from '../../tools/fuzz/coverage.ts'
import { fuzz } from '../../tools/fuzz/loop.ts'
import { sizeOf } from '../../tools/fuzz/size-of.ts'
import { effort } from '../support/effort.ts'
import { testSeed } from '../support/seed.ts'

const root = join(import.meta.dirname, '..', '..')
const RUNS = 1_000
const TARGETS_MIN = 20

describe('fuzzing', () => {
  it('finds no input of any target that is not handled within its budget', () => {
    const words = ['tools/fuzz.ts', '--runs', String(effort(RUNS)), '--seed', String(testSeed())]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...words],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
    assert.equal(status, 0, `${stdout}${stderr}`)
    const results = stdout.split('\n').filter((line) => line.startsWith('{'))
    assert.ok(results.length >= TARGETS_MIN, stdout)
    for (const line of results) assert.ok(JSON.parse(line).reached >= 8, `${line} reaches nothing`)
  })

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
        if (++runs <= slowRuns) while (process.threadCpuUsage(begun).user < 115_000);
      }
      const coverage = { reset: () => {}, add: () => false, reached: 0 } as unknown as Coverage
      const options = { corpus: [new Uint8Array(1)], seed: 1, isRefusal: () => false, isOver: () => true }
      return (await fuzz({ name: 'slow', keptPerByteMax: 1, run }, coverage, options)).failures.length
    }
    assert.deepEqual([await failuresOf(6), await failuresOf(Infinity)], [0, 1])
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
