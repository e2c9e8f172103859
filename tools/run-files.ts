/**
 * Runs test files in the order in which they are named, like `node --test`, which sorts them: all in this process, or
 * with `--at-once N` in one each. In this process they take a third less processor time than with `node --test`: the
 * runner of Node follows every promise of every test, only to name the test of an error that none of them awaits. Such
 * an error is printed here with its stack, and the run fails with it as well.
 */
import asyncHooks from 'node:async_hooks'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs } from './cpu-time.ts'
import report from './reporter.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { timeout: { type: 'string' }, 'at-once': { type: 'string' }, 'hung-after': { type: 'string' } },
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

/** A test that waits this long and computes no more than that waits for something that never comes. */
const HUNG_MS = Number(values['hung-after'] ?? 240_000)
const HUNG_CPU_MS = HUNG_MS / 20

/** The limit of a test is long where others take the processor: one that does nothing meanwhile ends the run. */
function endHungTest(): void {
  let last = { name: 'the first test', file: positionals[0] ?? '', atMs: performance.now(), cpu: cpuMs() }
  const note = ({ name, file }: { readonly name: string; readonly file?: string | undefined }) => {
    last = { name, file: file ?? last.file, atMs: performance.now(), cpu: cpuMs() }
  }
  stream.on('test:dequeue', note)
  stream.on('test:complete', ({ name, file }) => note({ name: `what follows ${name}`, file }))
  setInterval(() => {
    const [waitedMs, usedMs] = [performance.now() - last.atMs, cpuMs() - last.cpu]
    if (waitedMs < HUNG_MS || usedMs > HUNG_CPU_MS) return
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    console.error(`HUNG for ${seconds(waitedMs)}, ${seconds(usedMs)} of processor time: ${last.name}, ${last.file}`)
    process.exit(1)
  }, HUNG_MS / 8).unref()
}

if (atOnce === undefined) endHungTest()

const byFile = new Map<string, number>()
const addCpu = (file: string, ms: number) => byFile.set(file, (byFile.get(file) ?? 0) + ms)
let before = 0
if (atOnce === undefined) {
  // One after another, so that all since the end of the one before is of this test.
  stream.on('test:dequeue', ({ nesting }) => {
    if (nesting === 0 && before === 0) before = cpuMs()
  })
  stream.on('test:complete', ({ nesting, file }) => {
    if (nesting !== 0) return
    const now = cpuMs()
    addCpu(file ?? '?', now - before)
    before = now
  })
}

/** Of files with a process each, what those have reported. */
function readReports(): void {
  const path = process.env['TEST_CPU']
  if (atOnce === undefined || path === undefined || !existsSync(path)) return
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const { file, ms } = JSON.parse(line) as { readonly file: string; readonly ms: number }
    addCpu(file, ms)
  }
}

stream.once('end', readReports)
const cpu = { ofFile: (file: string) => byFile.get(file) ?? 0, total: cpuMs }
for await (const text of report(stream, cpu)) process.stdout.write(text)
