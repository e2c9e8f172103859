import { parentPort } from 'node:worker_threads'
import { hashNow, verifyNow } from '../../files/password-task.ts'

export type PasswordTask =
  | { readonly kind: 'hash'; readonly id: number; readonly password: string; readonly salt: Uint8Array }
  | { readonly kind: 'verify'; readonly id: number; readonly password: string; readonly hash: string }

export interface PasswordReport {
  readonly id: number
  /** Of `hash` the hash, of `verify` whether it is right; undefined when the task could not be done. */
  readonly result: string | boolean | undefined
}

/** The reason stays here: whatever went wrong, its text may hold a part of the password. */
function run(task: PasswordTask): PasswordReport['result'] {
  try {
    return task.kind === 'hash' ? hashNow(task.password, task.salt) : verifyNow(task.password, task.hash)
  } catch {
    return undefined
  }
}

parentPort?.on('message', (task: PasswordTask) => {
  parentPort?.postMessage({ id: task.id, result: run(task) } satisfies PasswordReport, [])
})
