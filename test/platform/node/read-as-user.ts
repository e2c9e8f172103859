/** Reads a block of a file and prints the resulting code. */
import { systemCode } from '../../../src/core/errors.ts'
import { NodeBlockReader } from '../../../src/platform/node/block-reader.ts'
import { DiskThreads } from '../../../src/platform/node/threads/disk-threads.ts'

const [root = '', name = ''] = process.argv.slice(2)
await using threads = new DiskThreads({ threads: 1 })
const order = { root, name, offsetBytes: 0, sizeBytes: 4, hash: new Uint8Array(32) }
const result = await new NodeBlockReader(threads).read(order).then(({ kind }) => kind, systemCode)
console.log(result)
