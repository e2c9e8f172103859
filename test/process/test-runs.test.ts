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

async function run(
  sources: readonly string[],
  again: boolean,
  isolation: Isolation = 'apart',
): Promise<{ passed: boolean; summary: string }> {
  using scratch = scratchDirectory()
  const files = sources.map((source, index) => {
    const path = join(scratch.path, `${index}.test.mjs`)
    writeFileSync(path, source)
    return path
  })
  const runs = new TestRuns()
  using restored = new DisposableStack()
  const context = process.env[CONTEXT]
  if (context !== undefined) restored.defer(() => void (process.env[CONTEXT] = context))
  delete process.env[CONTEXT]
  const how = { isolation, env: {}, node: process.execPath, quiet: true } as const
  const passed = await runs.run(files, { ...how, again })
  return { passed, summary: runs.summary().replaceAll(`${scratch.path}/`, '') }
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

test('files that share a process fail with each other, whether a test awaits the error or not', async () => {
  const together = async (...sources: readonly string[]) => run(sources, false, 'together')
  const passing = `import { after, test } from 'node:test'\ntest('passes', async () => {})\nafter(() => {})\n`
  assert.deepEqual(await together(passing, passing), { passed: true, summary: '2 passed, 0 failed, 0 skipped' })
  assert.deepEqual(await together(FAILS), { passed: false, summary: '1 passed, 1 failed, 0 skipped' })
  assert.equal((await together(FAILS_UNAWAITED)).passed, false)
  assert.equal((await together('throw new Error("as planned")\n')).passed, false)
  assert.equal((await together(`import './missing.mjs'\n`)).passed, false)
})
