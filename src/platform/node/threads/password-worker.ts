import { parentPort } from 'node:worker_threads'
import { hashNow, verifyNow } from '../../files/password-task.ts'

export type PasswordTask =
  | { readonly kind: 'hash'; readonly id: number; readonly password: string; readonly salt: Uint8Array }
  | { readonly kind: 'verify'; readonly id: number; readonly password: string; readonly hash: string }

export interface PasswordReport {
  readonly id: number
  /** The hash, or whether it matches; undefined when the task failed. */
  readonly result: string | boolean | undefined
}

/** The error is not passed on: its text may contain a part of the password. */
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
