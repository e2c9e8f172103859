import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import type { Hasher } from '../../../src/platform/hasher.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { createNodeHasher } from '../../../src/platform/node/threads/hash.ts'
import { createNodeWalker } from '../../../src/platform/node/walk.ts'
import { scanFolder } from '../../../src/scanner/scanner.ts'
import type { ScanIndex, ScanResult } from '../../../src/scanner/types.ts'
import { quietLogger } from '../../support/logger.ts'

export const OWN_SHORT_ID = 7n as ShortId

/** Scans a directory of the disk; `wrap` may replace the hasher. */
export async function scanDisk(
  root: string,
  index: ScanIndex,
  wrap: (hasher: Hasher) => Hasher = (hasher) => hasher,
): Promise<ScanResult> {
  await using walker = createNodeWalker()
  await using hasher = createNodeHasher({ threads: 1 })
  return await scanFolder(
    {
      walker,
      hasher: wrap(hasher),
      disk: nodeDisk,
      clock: nodeClock,
      index,
      log: quietLogger('scanner'),
      checkHealth: async () => {},
      onBatch: () => {},
      onProgress: () => {},
    },
    {
      root,
      subs: [''],
      ignore: new IgnoreRules([]),
      ignorePerms: false,
      modTimeWindowMs: 0,
      autoNormalize: true,
      ownShortId: OWN_SHORT_ID,
      receiveOnly: false,
      keepTemporariesMs: 0,
      progressIntervalMs: 0,
      hashers: 0,
    },
    new AbortController().signal,
  )
}
