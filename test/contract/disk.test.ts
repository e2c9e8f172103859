import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { diskContract } from './disk.contract.ts'

/** A user without any rights of his own; root becomes him where permission bits are the point. */
const NOBODY = 65_534

diskContract('real disk', async () => {
  const root = await mkdtemp(join(tmpdir(), 'twinfold-disk-'))
  return {
    disk: nodeDisk,
    root,
    umask: process.umask(),
    async asOrdinaryUser() {
      if (process.getuid?.() !== 0) return { [Symbol.dispose]: () => {} }
      await chown(root, NOBODY, NOBODY)
      process.seteuid?.(NOBODY)
      return { [Symbol.dispose]: () => process.seteuid?.(0) }
    },
    timeErrorNs: 120, // Node takes times as double precision seconds
    putInvalidName: (directory) => writeFile(Buffer.from(`${directory}/a\xffb`, 'latin1'), ''),
    putPipe: async (path) => void execFileSync('mkfifo', [path]),
    async [Symbol.asyncDispose]() {
      await chmod(root, 0o755)
      await rm(root, { recursive: true, force: true })
    },
  }
})

for (const [name, shortReads] of [
  ['sim disk', undefined],
  ['sim disk with short reads', new SimRandom(1)],
] as const) {
  diskContract(name, async () => {
    const disk = new SimDisk(new SimClock(), shortReads === undefined ? {} : { shortReads })
    await disk.makeDirectory('/root', 0o755)
    return {
      disk,
      root: '/root',
      umask: 0o022,
      asOrdinaryUser: async () => ({ [Symbol.dispose]: () => {} }),
      timeErrorNs: 0,
      putInvalidName: async (directory) => disk.putInvalidName(directory, 'a\\xffb'),
      putPipe: async (path) => disk.putOther(path),
      [Symbol.asyncDispose]: async () => {},
    }
  })
}
