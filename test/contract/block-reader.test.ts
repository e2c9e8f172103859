import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DiskBlockReader } from '../../src/platform/files/disk-block-reader.ts'
import { NodeBlockReader } from '../../src/platform/node/block-reader.ts'
import { DiskThreads } from '../../src/platform/node/threads/disk-threads.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { blockReaderContract } from './block-reader.contract.ts'

function realFolder(reader: (threads: DiskThreads) => DiskBlockReader | NodeBlockReader) {
  const scratch = scratchDirectory()
  const threads = new DiskThreads({ threads: 2 })
  return {
    blocks: reader(threads),
    disk: nodeDisk,
    root: scratch.path,
    async put(path: string, content: Uint8Array) {
      mkdirSync(dirname(join(scratch.path, path)), { recursive: true })
      writeFileSync(join(scratch.path, path), content)
    },
    putPipe: async (path: string) => void execFileSync('mkfifo', [path]),
    async [Symbol.asyncDispose]() {
      await threads[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

function simFolder() {
  const disk = new SimDisk(new SimClock())
  return {
    blocks: new DiskBlockReader(disk),
    disk,
    root: '/folder',
    put: async (path: string, content: Uint8Array) => disk.put(`/folder/${path}`, content),
    putPipe: async (path: string) => disk.putOther(path),
    [Symbol.asyncDispose]: async () => {},
  }
}

blockReaderContract('threads', async () => realFolder((threads) => new NodeBlockReader(threads)))
blockReaderContract('real disk', async () => realFolder(() => new DiskBlockReader(nodeDisk)))
blockReaderContract('sim disk', async () => simFolder())
