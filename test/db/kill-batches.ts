import type { FileInfo } from '../../src/core/records/file-info.ts'
import { blocks, file, version } from './records.ts'

const BATCH = 200

/** Local batch number `n`: new names, and a few existing ones in a new version. */
export function localBatch(n: number): FileInfo[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const name = i < 20 ? `often/${i}` : `batch-${n}/${i}`
    return file(name, { version: version(n + 1), sizeBytes: i + 1, blockHashes: blocks(`${n}/${i}`, 1 + (i % 3)) })
  })
}

/** Records of another device for the same names: half of them are newer than ours. */
export function remoteBatch(n: number): FileInfo[] {
  return localBatch(n)
    .filter((_, i) => i >= 20 && i % 4 === 0)
    .map((info, i) => {
      return { ...info, version: i % 2 === 0 ? version(n + 1, 1) : info.version, sequence: n * BATCH + i + 1 }
    })
}
