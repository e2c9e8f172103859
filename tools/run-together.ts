/**
 * Runs test files in this process, like `node --test --test-isolation=none`, but for a third less processor time: the
 * runner of Node follows every promise of every test, only to name the test of an error that none of them awaits. Such
 * an error is printed here with its stack, and the run fails with it as well.
 */
import asyncHooks from 'node:async_hooks'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import report from './reporter.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { timeout: { type: 'string' } } })

const { createHook } = asyncHooks
const UNTRACKED = { trackPromises: false }
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, ...UNTRACKED })
// Loaded after that, because the runner takes the function over when it is loaded.
const { run } = await import('node:test')

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    console.error(`${event}:`, error)
    process.exitCode = 1
  })
}
const stream = run({
  files: positionals.map((file) => resolve(file)),
  isolation: 'none',
  timeout: Number(values.timeout ?? Infinity),
})
stream.on('test:fail', () => (process.exitCode = 1))
for await (const text of report(stream)) process.stdout.write(text)
