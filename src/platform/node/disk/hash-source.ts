import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { HashSource, HashStat } from '../../files/hash-file.ts'
import { exactStat } from './disk-stat.ts'

/** Rejects a symlink in place of the file and does not block on a pipe. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function openHashSource(path: string): HashSource & Disposable {
  return new OpenFile(openSync(path, FLAGS))
}

class OpenFile implements HashSource {
  readonly #file: number

  constructor(file: number) {
    this.#file = file
  }

  stat(): HashStat {
    return exactStat(fstatSync(this.#file, { bigint: true }))
  }

  /** Positional read: fails for a pipe without consuming data. */
  read(into: Uint8Array, positionBytes: number): number {
    return readSync(this.#file, into, 0, into.length, positionBytes)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
