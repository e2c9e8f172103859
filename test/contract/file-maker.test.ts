import { realpathSync } from 'node:fs'
import { slashedPath } from '../../src/core/paths.ts'
import { DiskThreads } from '../../src/platform/node/threads/disk-threads.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { NodeFileMaker } from '../../src/platform/node/file-maker.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { PlainFileMaker } from '../../src/platform/files/plain-file-maker.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { fileMakerContract } from './file-maker.contract.ts'

for (const [name, isStarted] of [
  ['real file maker', false],
  ['real file maker in a thread', true],
] as const) {
  fileMakerContract(name, async () => realMaker(isStarted))
}

fileMakerContract('real file maker in a thread without native calls', async () => {
  process.env['TWINFOLD_NATIVE'] = 'off' // copied by the thread when it starts
  const maker = realMaker(true)
  const dispose = async (): Promise<void> => {
    delete process.env['TWINFOLD_NATIVE']
    await maker[Symbol.asyncDispose]()
  }
  return { ...maker, [Symbol.asyncDispose]: dispose }
})

function realMaker(isStarted: boolean) {
  const scratch = scratchDirectory()
  const threads = new DiskThreads({ threads: 1 })
  const fileMaker = new NodeFileMaker(isStarted ? { isStarted, make: (orders) => threads.make(orders) } : threads)
  return {
    fileMaker,
    disk: nodeDisk,
    root: slashedPath(realpathSync(scratch.path), process.platform),
    async [Symbol.asyncDispose]() {
      await threads[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

fileMakerContract('sim file maker', async () => {
  const disk = new SimDisk(new SimClock())
  await disk.makeDirectories('/folder', 0o755)
  return { fileMaker: new PlainFileMaker(disk), disk, root: '/folder', [Symbol.asyncDispose]: async () => {} }
})
