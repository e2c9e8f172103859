import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeAttributesWith } from '../../src/platform/node/disk/attributes.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { posix } from '../../src/platform/node/native/posix.ts'
import { SimAttributes } from '../../src/platform/sim/attributes.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { missingProgram } from '../support/debian.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { attributesContract } from './attributes.contract.ts'

function whyNot(): string | undefined {
  const missing = missingProgram('getfattr', 'attr')
  if (missing !== undefined) return missing
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'probe')
  writeFileSync(path, '')
  return spawnSync('setfattr', ['-n', 'user.probe', '-v', '1', '--', path]).status === 0
    ? undefined
    : 'this file system keeps no attributes'
}

for (const [name, native] of [
  ['real attributes', () => posix()?.attributes],
  ['real attributes without native calls', () => undefined],
] as const) {
  attributesContract(name, whyNot(), async () => {
    const scratch = scratchDirectory()
    return {
      attributes: nodeAttributesWith(native),
      disk: nodeDisk,
      root: scratch.path,
      [Symbol.asyncDispose]: async () => scratch[Symbol.dispose](),
    }
  })
}

attributesContract('sim attributes', undefined, async () => {
  const disk = new SimDisk(new SimClock())
  await disk.makeDirectories('/folder', 0o755)
  return { attributes: new SimAttributes(disk), disk, root: '/folder', [Symbol.asyncDispose]: async () => {} }
})
