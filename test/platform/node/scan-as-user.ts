/** Scans a folder twice, knowing of a file in a directory that may not be read. */
import { recordOf } from '../../../src/core/records/change.ts'
import { MemoryIndex } from '../../scanner/memory-index.ts'
import { OWN_SHORT_ID, scanDisk } from './scan-disk.ts'

const root = process.argv[2] ?? ''
const ownShortId = OWN_SHORT_ID
const index = new MemoryIndex()
const item = { type: 'file', sizeBytes: 1, modifiedS: 1, modifiedNs: 0, mode: 0o644, symlinkTarget: '' } as const
const content = { blockSizeBytes: 131_072, blockHashes: new Uint8Array(32), blocksHash: new Uint8Array(32) }
for (const name of ['closed/known', 'secret']) {
  await index.updateLocal([
    recordOf({ ...item, name }, undefined, content, { ownShortId, nowS: 1, ignorePerms: false, localFlags: 0 }),
  ])
}

const first = (await scanDisk(root, index)).problems
const second = (await scanDisk(root, index)).problems
const deleted = [...index.records.values()].filter((record) => record.deleted).map((record) => record.name)
console.log(JSON.stringify({ first, second, live: index.live, deleted }))
