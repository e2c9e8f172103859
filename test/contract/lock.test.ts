import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDiskWith } from '../../src/platform/node/disk/disk.ts'
import { posix } from '../../src/platform/node/native/posix.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { lockContract } from './lock.contract.ts'

for (const [name, native] of [
  ['real lock', posix],
  ['real lock without native calls', () => undefined],
] as const) {
  lockContract(name, async () => {
    const root = await mkdtemp(join(tmpdir(), 'twinfold-lock-'))
    const disk = nodeDiskWith(native)
    return { disk, root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
  })
}

lockContract('sim lock', async () => {
  const disk = new SimDisk(new SimClock())
  await disk.makeDirectory('/root', 0o755)
  return { disk, root: '/root', [Symbol.asyncDispose]: async () => {} }
})
