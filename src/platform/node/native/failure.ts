import { getSystemErrorMessage, getSystemErrorName } from 'node:util'
import { DiskError } from '../../disk-error.ts'
import type { NativeLibrary } from './library.ts'
import type { PreparedCall } from './systems.ts'

export interface Outcome {
  readonly result: number
  /** 0: no failure. */
  readonly errno: number
}

export function runSync(library: NativeLibrary, { call, args }: PreparedCall): Outcome {
  const result = call(...args) // at most six
  return { result, errno: result >= 0 ? 0 : library.errno() }
}

export function failure(errno: number, call: string, path: string): DiskError {
  return new DiskError(getSystemErrorName(-errno), getSystemErrorMessage(-errno), call, path)
}
