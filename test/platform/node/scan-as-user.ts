/** Scans a folder twice, knowing of a file in a directory that may not be read. */
import { IgnoreRules } from '../../../src/core/ignore/ignore.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { recordOf } from '../../../src/core/records/change.ts'
import { scanFolder } from '../../../src/scanner/scanner.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { createNodeHasher } from '../../../src/platform/node/threads/hash.ts'
import { createNodeWalker } from '../../../src/platform/node/walk.ts'
import { MemoryIndex } from '../../scanner/memory-index.ts'
import { quietLogger } from '../../support/logger.ts'

const root = process.argv[2] ?? ''
const ownShortId = 7n as ShortId
const index = new MemoryIndex()
const item = { type: 'file', sizeBytes: 1, modifiedS: 1, modifiedNs: 0, mode: 0o644, symlinkTarget: '' } as const
const content = { blockSizeBytes: 131_072, blockHashes: new Uint8Array(32), blocksHash: new Uint8Array(32) }
for (const name of ['closed/known', 'secret']) {
  await index.updateLocal([
    recordOf({ ...item, name }, undefined, content, { ownShortId, nowS: 1, ignorePerms: false, localFlags: 0 }),
  ])
}

await using walker = createNodeWalker()
await using hasher = createNodeHasher({ threads: 1 })
const scan = () =>
  scanFolder(
    {
      walker,
      hasher,
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
      ownShortId,
      receiveOnly: false,
      keepTemporariesMs: 0,
      progressIntervalMs: 0,
      hashers: 0,
    },
    new AbortController().signal,
  )
const first = (await scan()).problems
const second = (await scan()).problems
const deleted = [...index.records.values()].filter((record) => record.deleted).map((record) => record.name)
console.log(JSON.stringify({ first, second, live: index.live, deleted }))
