/** A password worker that fails as the password requests. */
import { parentPort } from 'node:worker_threads'
import type { PasswordReport, PasswordTask } from '../../../src/platform/node/threads/password-worker.ts'

parentPort?.on('message', ({ id, password }: PasswordTask) => {
  if (password === 'exit') process.exit(1)
  if (password === 'throw') throw new Error(`not for the log: ${password}`)
  if (password === 'silence') return
  const results: Record<string, PasswordReport['result']> = { nothing: undefined, right: true }
  const result = password in results ? results[password] : 'text'
  parentPort?.postMessage({ id, result } satisfies PasswordReport, [])
})
