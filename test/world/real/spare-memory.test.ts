import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const MODULE = new URL('../../../src/world/real/spare-memory.ts', import.meta.url)

const WAIT = 'setTimeout(resolve, 20)'
/** Work that leaves nothing to collect. */
const TOIL = 'const endMs = performance.now() + 10; while (performance.now() < endMs); setImmediate(resolve)'

/** Works for a moment as a start does, then waits as a daemon does, and tells what V8 holds before and after the wait. */
function workAndWait(lines: string, pass = WAIT): { readonly workedBytes: number; readonly restedBytes: number; readonly said: string } {
  const script = `
    import { getHeapStatistics } from 'node:v8'
    import { SpareMemory } from ${JSON.stringify(MODULE.href)}
    ${lines}
    let alive = []
    for (let turn = 0; turn < 200; turn++) {
      alive.push(Array.from({ length: 4_000 }, (_, i) => ({ turn, i, name: 'file-' + turn + '-' + i })))
      if (alive.length > 20) alive.shift()
    }
    alive = []
    const held = () => getHeapStatistics().total_heap_size
    const worked = held()
    for (let waited = 0; waited < 100 && held() * 2 > worked; waited++) await new Promise((resolve) => { ${pass} })
    console.log(JSON.stringify([worked, held()]))`
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(run.status, 0, run.stderr)
  const [workedBytes, restedBytes] = JSON.parse(run.stdout) as [number, number]
  return { workedBytes, restedBytes, said: run.stderr }
}

test('spare memory: what work made V8 take goes back when all is quiet', () => {
  const kept = workAndWait('')
  assert.ok(kept.restedBytes * 2 > kept.workedBytes, 'without it V8 keeps what it has')
  const given = workAndWait('using _ = new SpareMemory(100)')
  assert.equal(given.said, '')
  assert.ok(given.restedBytes * 2 <= given.workedBytes, `${given.workedBytes} bytes, ${given.restedBytes} after a rest`)
})

test('spare memory: who is at work keeps what there is, though nothing is collected', () => {
  const kept = workAndWait('using _ = new SpareMemory(100)', TOIL)
  assert.ok(kept.restedBytes * 2 > kept.workedBytes, `${kept.workedBytes} bytes, ${kept.restedBytes} in the middle of work`)
})

test('spare memory: a process that has nothing else to do ends', () => {
  const script = `import { SpareMemory } from ${JSON.stringify(MODULE.href)}; new SpareMemory()`
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', timeout: 60_000 })
  assert.deepEqual([run.status, run.stderr], [0, ''])
})
