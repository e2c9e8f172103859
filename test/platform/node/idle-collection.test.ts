import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const MODULE = new URL('../../../src/platform/node/idle-collection.ts', import.meta.url)

const WAIT = 'setTimeout(resolve, 20)'
/** Keeps the event loop busy without creating garbage. */
const WORK = 'const endMs = performance.now() + 10; while (performance.now() < endMs); setImmediate(resolve)'

function run(script: string): { readonly out: string; readonly err: string } {
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(result.status, 0, result.stderr)
  return { out: result.stdout, err: result.stderr }
}

interface Heap {
  readonly peakBytes: number
  readonly endBytes: number
  readonly flagsChanged: boolean
}

/** Creates garbage as a scan does, then passes time, and reports the size of the heap before and after. */
function heapAfter(lines: string, pass = WAIT): Heap {
  const { out, err } = run(`
    import v8 from 'node:v8'
    import { syncBuiltinESMExports } from 'node:module'
    let flagsChanged = false
    v8.setFlagsFromString = () => { flagsChanged = true }
    syncBuiltinESMExports()
    const { IdleCollection } = await import(${JSON.stringify(MODULE.href)})
    const options = { quietMs: 100, firstMs: 0 }
    ${lines}
    let alive = []
    for (let turn = 0; turn < 200; turn++) {
      alive.push(Array.from({ length: 4_000 }, (_, i) => ({ turn, i, name: 'file-' + turn + '-' + i })))
      if (alive.length > 20) alive.shift()
    }
    alive = []
    const heapBytes = () => v8.getHeapStatistics().total_heap_size
    const peakBytes = heapBytes()
    for (let waited = 0; waited < 100 && heapBytes() * 2 > peakBytes; waited++)
      await new Promise((resolve) => { ${pass} })
    console.log(JSON.stringify({ peakBytes, endBytes: heapBytes(), flagsChanged }))`)
  assert.equal(err, '')
  return JSON.parse(out) as Heap
}

test('idle collection: an idle process returns free heap memory, without changed V8 flags', () => {
  const without = heapAfter('')
  assert.ok(without.endBytes * 2 > without.peakBytes, 'without it V8 keeps the memory for now')
  const { peakBytes, endBytes, flagsChanged } = heapAfter('using _ = new IdleCollection(options)')
  assert.ok(endBytes * 2 <= peakBytes, `${peakBytes} bytes, ${endBytes} when idle`)
  assert.equal(flagsChanged, false)
})

test('idle collection: no collection in a busy process that creates no garbage', () => {
  const { peakBytes, endBytes } = heapAfter('using _ = new IdleCollection(options)', WORK)
  assert.ok(endBytes * 2 > peakBytes, `${peakBytes} bytes, ${endBytes} while busy`)
})

test('idle collection: it runs after other threads have ended', () => {
  const held = heapAfter('using _ = new IdleCollection({ ...options, hasThreads: () => true })')
  assert.ok(held.endBytes * 2 > held.peakBytes, `${held.peakBytes} bytes, ${held.endBytes} with threads`)
  const ended = heapAfter(`
    let threads = true
    using collection = new IdleCollection({ ...options, hasThreads: () => threads })
    setTimeout(() => { threads = false; collection.threadsEnded() }, 500)`)
  assert.ok(ended.endBytes * 2 <= ended.peakBytes, `${ended.peakBytes} bytes, ${ended.endBytes} after the threads`)
})

test('idle collection: after the end of threads a busy process returns much memory, too', () => {
  const large = 'const kept = Buffer.alloc(64 * 1024 * 1024, 1)'
  const busy = heapAfter(`${large}; using _ = new IdleCollection(options)`, WORK)
  assert.ok(busy.endBytes * 2 > busy.peakBytes, `${busy.peakBytes} bytes, ${busy.endBytes} while busy`)
  const ended = heapAfter(
    `${large}; using collection = new IdleCollection(options); setTimeout(() => collection.threadsEnded(), 200)`,
    WORK,
  )
  assert.ok(ended.endBytes * 2 <= ended.peakBytes, `${ended.peakBytes} bytes, ${ended.endBytes} after the threads`)
})

test('idle collection: what a start leaves is not collected in the first minute, free memory is returned', () => {
  const few = `
    import { Session } from 'node:inspector/promises'
    import { IdleCollection } from ${JSON.stringify(MODULE.href)}
    let garbage = Array.from({ length: 100_000 }, (_, i) => ({ i, name: 'file-' + i }))
    let [collected, trimmed] = [0, 0]
    Session.prototype.post = async () => void collected++
    const count = (firstMs) => new IdleCollection({ quietMs: 50, firstMs, trim: async () => void trimmed++ })
    garbage = []`
  const wait = `
    for (let waited = 0; waited < 100 && collected === 0; waited++) await new Promise((resolve) => { ${WAIT} })
    console.log(collected, trimmed > 0 || collected > 0)`
  assert.equal(run(`${few}; using _ = count(60_000); ${wait}`).out, '0 true\n')
  assert.equal(run(`${few}; using _ = count(0); ${wait}`).out, '1 true\n')
})

test('idle collection: pages of the executable are dropped after the start, and with each collection', () => {
  const count = (options: string, pass: string) =>
    run(`
      import { IdleCollection } from ${JSON.stringify(MODULE.href)}
      let dropped = 0
      using _ = new IdleCollection({ ...${options}, dropPages: async () => void dropped++ })
      let garbage = Array.from({ length: 100_000 }, (_, i) => ({ i, name: 'file-' + i }))
      garbage = []
      for (let waited = 0; waited < 500 && dropped < 2; waited++) {
        ${pass}
        await new Promise((resolve) => { ${WAIT} })
      }
      console.log(dropped)`).out
  assert.equal(count('{ quietMs: 50, firstMs: 0 }', ''), '2\n')
  assert.equal(count('{ quietMs: 50 }', 'if (dropped > 0) break'), '1\n')
})

test('idle collection: what V8 has compiled for nextTick stays usable after a full collection', () => {
  const traced = (lines: string): string => {
    const script = `
      import { Session } from 'node:inspector/promises'
      const { IdleCollection } = await import(${JSON.stringify(MODULE.href)})
      ${lines}
      for (let turn = 0; turn < 300; turn++) {
        for (let i = 0; i < 1_000; i++) process.nextTick(() => {})
        await new Promise((resolve) => setImmediate(resolve))
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
      const session = new Session()
      session.connect()
      await session.post('HeapProfiler.collectGarbage')`
    const args = ['--trace-opt', '--trace-deopt', '--input-type=module', '--eval', script]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, maxBuffer: 2 ** 26 })
    assert.match(stdout, /completed optimizing .*JSFunction nextTick/)
    return stdout
  }
  const discarded = /SharedFunctionInfo nextTick.* weak objects cleared/
  assert.match(traced(''), discarded)
  assert.doesNotMatch(traced('using _ = new IdleCollection()'), discarded)
})

test('idle collection: it does not keep the process alive', () => {
  assert.equal(run(`import { IdleCollection } from ${JSON.stringify(MODULE.href)}; new IdleCollection()`).err, '')
})

test('idle collection: memory of large buffers, outside the heap, is returned to the system', () => {
  const { out } = run(`
    import { IdleCollection } from ${JSON.stringify(MODULE.href)}
    import { posix } from ${JSON.stringify(new URL('native/posix.ts', MODULE).href)}
    let trimmed = 0
    const trim = async () => { await posix()?.trimMemory(); trimmed++ }
    using _ = new IdleCollection({ quietMs: 100, firstMs: 0, trim })
    for (let i = 0; i < 100; i++) Buffer.allocUnsafeSlow(16 * 1024 * 1024).fill(1)
    for (let waited = 0; waited < 500 && trimmed === 0; waited++)
      await new Promise((resolve) => { ${WAIT} })
    const kept = process.memoryUsage()
    console.log(JSON.stringify({ trimmed, keptMiB: Math.round((kept.rss - kept.heapTotal) / 2 ** 20) }))`)
  const { trimmed, keptMiB } = JSON.parse(out) as { trimmed: number; keptMiB: number }
  assert.equal(trimmed, 1)
  assert.ok(keptMiB < 150, `${keptMiB} MiB`)
})
