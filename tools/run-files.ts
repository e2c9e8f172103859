/**
 * Runs test files in the order in which they are named, like `node --test`, which sorts them: all in this process, or
 * with `--at-once N` in one each. In this process they take a third less processor time than with `node --test`: the
 * runner of Node follows every promise of every test, only to name the test of an error that none of them awaits. Such
 * an error is printed here with its stack, and the run fails with it as well.
 */
import asyncHooks from 'node:async_hooks'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import report from './reporter.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { timeout: { type: 'string' }, 'at-once': { type: 'string' } },
})
const atOnce = values['at-once']

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
  ...(atOnce === undefined ? { isolation: 'none' } : { isolation: 'process', concurrency: Number(atOnce) }),
  timeout: Number(values.timeout ?? Infinity),
})
stream.on('test:fail', () => (process.exitCode = 1))
for await (const text of report(stream)) process.stdout.write(text)
