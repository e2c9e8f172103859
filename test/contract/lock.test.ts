import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { lockContract } from './lock.contract.ts'

lockContract('real lock', async () => {
  const root = await mkdtemp(join(tmpdir(), 'twinfold-lock-'))
  return { disk: nodeDisk, root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
})

lockContract('sim lock', async () => {
  const disk = new SimDisk(new SimClock())
  await disk.makeDirectory('/root', 0o755)
  return { disk, root: '/root', [Symbol.asyncDispose]: async () => {} }
})
