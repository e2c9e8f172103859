/**
 * Loaded before a test file that has a process of its own: reports the processor time at its end, and keeps the runner
 * of Node from following every promise (`tools/run-files.ts`).
 */
import asyncHooks from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { cpuMs } from './cpu-time.ts'

const target = process.env['TEST_CPU']
if (target !== undefined && isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  process.on('exit', () => appendFileSync(target, `${JSON.stringify({ file: process.argv[1], ms: cpuMs() })}\n`))
  const { createHook } = asyncHooks
  const UNTRACKED = { trackPromises: false }
  asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, ...UNTRACKED })
}
