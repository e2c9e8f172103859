import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { createNodeHasher } from '../../src/platform/node/threads/hash.ts'
import { createNodeWalker } from '../../src/platform/node/walk.ts'
import { createNodeWatcher } from '../../src/platform/node/disk/watch.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimHasher } from '../../src/platform/sim/hasher.ts'
import { SimWalker } from '../../src/platform/sim/walker.ts'
import { SimWatcher } from '../../src/platform/sim/watcher.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { hasherContract } from './hasher.contract.ts'
import { walkerContract } from './walker.contract.ts'
import { watcherContract } from './watcher.contract.ts'

function realFolder() {
  const scratch = scratchDirectory()
  const walker = createNodeWalker()
  const hasher = createNodeHasher({ threads: 2 })
  return {
    walker,
    hasher,
    watcher: createNodeWatcher(),
    disk: nodeDisk,
    root: scratch.path,
    async put(path: string, content: string | Uint8Array = path) {
      mkdirSync(dirname(`${scratch.path}/${path}`), { recursive: true })
      writeFileSync(`${scratch.path}/${path}`, content)
    },
    putPipe: async (path: string) => void execFileSync('mkfifo', [path]),
    putInvalidName: async (directory: string) => writeFileSync(Buffer.from(`${directory}/a\xffb`, 'latin1'), ''),
    async [Symbol.asyncDispose]() {
      await Promise.all([walker[Symbol.asyncDispose](), hasher[Symbol.asyncDispose]()])
      scratch[Symbol.dispose]()
    },
  }
}

function simFolder() {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  disk.put('/folder/.stfolder/x', '')
  return {
    walker: new SimWalker(disk),
    hasher: new SimHasher(disk),
    watcher: new SimWatcher(disk),
    disk,
    root: '/folder',
    async put(path: string, content: string | Uint8Array = path) {
      clock.jumpWall(1)
      disk.put(`/folder/${path}`, content)
    },
    putPipe: async (path: string) => disk.putOther(path),
    putInvalidName: async (directory: string) => disk.putInvalidName(directory, 'a\\xffb'),
    [Symbol.asyncDispose]: async () => {},
  }
}

walkerContract('real walker', async () => realFolder())
walkerContract('sim walker', async () => simFolder())
hasherContract('real hasher', async () => realFolder())
hasherContract('sim hasher', async () => simFolder())
watcherContract('real watcher', async () => realFolder())
watcherContract('sim watcher', async () => simFolder())
