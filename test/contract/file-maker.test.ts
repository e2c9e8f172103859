import { realpathSync } from 'node:fs'
import { DiskThreads } from '../../src/world/real/disk-threads.ts'
import { realDisk } from '../../src/world/real/disk.ts'
import { RealFileMaker } from '../../src/world/real/file-maker.ts'
import { SimClock } from '../../src/world/sim/clock.ts'
import { SimDisk } from '../../src/world/sim/disk.ts'
import { SimFileMaker } from '../../src/world/sim/file-maker.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { fileMakerContract } from './file-maker.contract.ts'

fileMakerContract('real file maker', async () => {
  const scratch = scratchDirectory()
  const threads = new DiskThreads({ threads: 1 })
  return {
    fileMaker: new RealFileMaker(threads), disk: realDisk, root: realpathSync(scratch.path),
    async [Symbol.asyncDispose]() {
      await threads[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
})

fileMakerContract('sim file maker', async () => {
  const disk = new SimDisk(new SimClock())
  await disk.makeDirectories('/folder', 0o755)
  return { fileMaker: new SimFileMaker(disk), disk, root: '/folder', [Symbol.asyncDispose]: async () => {} }
})
