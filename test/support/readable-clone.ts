import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const SEARCHABLE_BY_OTHERS = 0o001

/** For tests that start the program as another user: why that user cannot reach this clone. */
export function unreachableClone(root = ROOT): string | undefined {
  for (let path = root; ; path = dirname(path)) {
    if ((statSync(path).mode & SEARCHABLE_BY_OTHERS) === 0)
      return `other users cannot enter ${path}: chmod o+rx ${path}`
    if (path === dirname(path)) return undefined
  }
}
