/** The second run of failed test files (decision 019). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestRuns, type Isolation } from '../../tools/test-runs.ts'
import { scratchDirectory } from '../support/scratch.ts'

/** Node starts no tests below a process that has it; without it from the start, the tests here would not be counted. */
const CONTEXT = 'NODE_TEST_CONTEXT'

const FAILS = `import { test } from 'node:test'
test('fails', () => { throw new Error('as planned') })
test('passes', () => {})
`
/** Fails in the first run only. */
const FAILS_ONCE = `import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
test('fails once', () => {
  const before = import.meta.filename + '.before'
  if (existsSync(before)) return
  writeFileSync(before, '')
  throw new Error('as planned')
})
`

interface Outcome {
  readonly passed: boolean
  readonly summary: string
}

async function run(sources: readonly string[], again: boolean, isolation: Isolation = 'apart'): Promise<Outcome> {
  using scratch = scratchDirectory()
  const runs = new TestRuns()
  const passed = await runIn(scratch.path, runs, sources, { again, isolation })
  return { passed, summary: runs.summary().replaceAll(`${scratch.path}/`, '') }
}

async function runIn(
  directory: string,
  runs: TestRuns,
  sources: readonly string[],
  options: { readonly again: boolean; readonly isolation: Isolation },
): Promise<boolean> {
  const files = sources.map((source, index) => {
    const path = join(directory, `${index}.test.mjs`)
    writeFileSync(path, source)
    return path
  })
  using restored = new DisposableStack()
  const context = process.env[CONTEXT]
  if (context !== undefined) restored.defer(() => void (process.env[CONTEXT] = context))
  delete process.env[CONTEXT]
  return await runs.run(files, { ...options, env: {}, node: process.execPath, quiet: true })
}

test('a file that fails twice is a failure', async () => {
  assert.deepEqual(await run([FAILS], true), { passed: false, summary: '1 passed, 1 failed, 0 skipped' })
})

test('a file that passes in the second run only is named as unstable', async () => {
  const { passed, summary } = await run([FAILS_ONCE], true)
  assert.equal(passed, true)
  assert.match(summary, /^0 passed, 0 failed, 0 skipped\nUNSTABLE, passed only in a second run: 0\.test\.mjs$/m)
})

test('one file that fails twice makes the run a failure, whatever the others do', async () => {
  const { passed } = await run([FAILS_ONCE, FAILS], true)
  assert.equal(passed, false)
})

test('files named by hand are run once', async () => {
  assert.equal((await run([FAILS_ONCE], false)).passed, false)
})

test('many failed files are not run again', async () => {
  assert.equal(
    (
      await run(
        Array.from({ length: 4 }, () => FAILS_ONCE),
        true,
      )
    ).passed,
    false,
  )
})

test('tests that end without a result are a failure', async () => {
  assert.equal((await run(['process.exit(0)\n'], true)).passed, true, 'a file without tests')
  assert.equal((await run(['process.exit(1)\n'], true)).passed, false)
})

/** An error that no test awaits, and a suite whose tests are counted in it. */
const FAILS_UNAWAITED = `import { describe, it } from 'node:test'
describe('suite', () => {
  it('rejects', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    Promise.reject(new Error('as planned'))
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
})
`

test('a file with a process of its own fails with an error that no test awaits', async () => {
  assert.equal((await run([FAILS_UNAWAITED], false)).passed, false)
})

test('files that share a process fail with each other, whether a test awaits the error or not', async () => {
  const together = async (...sources: readonly string[]) => run(sources, false, 'together')
  const passing = `import { after, test } from 'node:test'\ntest('passes', async () => {})\nafter(() => {})\n`
  assert.deepEqual(await together(passing, passing), { passed: true, summary: '2 passed, 0 failed, 0 skipped' })
  assert.deepEqual(await together(FAILS), { passed: false, summary: '1 passed, 1 failed, 0 skipped' })
  assert.equal((await together(FAILS_UNAWAITED)).passed, false)
  assert.equal((await together('throw new Error("as planned")\n')).passed, false)
  assert.equal((await together(`import './missing.mjs'\n`)).passed, false)
})

/** Processor time of a child, in microseconds as Node counts them. */
const BUSY = `import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
test('is busy', () => void spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 500000);']))
`
const isLinux = process.platform === 'linux' ? false : 'only Linux counts children'

for (const isolation of ['apart', 'together'] as const) {
  test(`the processor time of a file is that of its children, too: ${isolation}`, { skip: isLinux }, async () => {
    using scratch = scratchDirectory()
    const runs = new TestRuns()
    assert.ok(await runIn(scratch.path, runs, [BUSY], { again: false, isolation }))
    const ofFile = Number(/([\d.]+) s cpu/.exec(runs.slowest()[0] ?? '')?.[1])
    assert.ok(ofFile >= 0.5 && runs.cpuMs >= 500, `${ofFile} s of the file, ${runs.cpuMs} ms in all`)
  })
}
