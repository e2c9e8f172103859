/** Loaded before a test file that has a process of its own: reports the processor time at its end. */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { cpuMs } from './cpu-time.ts'

const target = process.env['TEST_CPU']
if (target !== undefined && isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  process.on('exit', () => appendFileSync(target, `${JSON.stringify({ file: process.argv[1], ms: cpuMs() })}\n`))
}
