import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { HashSource } from '../hash-file.ts'
import { exactStat } from './walk-disk.ts'

/** A symlink put in place of the file is refused, and a pipe does not make us wait. Windows knows neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function openHashSource(path: string): HashSource & Disposable {
  const file = openSync(path, FLAGS)
  return {
    stat() {
      const stats = fstatSync(file, { bigint: true })
      const { type, sizeBytes, modifiedS, modifiedNs } = exactStat(stats)
      return { type, sizeBytes, modifiedS, modifiedNs, changeStamp: stats.ctimeNs }
    },
    read: (into, positionBytes) => readSync(file, into, 0, into.length, positionBytes),
    [Symbol.dispose]: () => closeSync(file),
  }
}
