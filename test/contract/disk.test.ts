import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDiskWith } from '../../src/platform/node/disk/disk.ts'
import { posix, type Posix } from '../../src/platform/node/native/posix.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import type { DiskBench } from './disk-bench.ts'
import { diskContract } from './disk.contract.ts'

/** A user without any rights of his own; root becomes him where permission bits are the point. */
const UNPRIVILEGED_ID = 65_534

for (const [name, native] of [
  ['real disk', posix],
  ['real disk without native calls', () => undefined],
] as const) {
  diskContract(name, () => realBench(native))
}

async function realBench(native: () => Posix | undefined): Promise<DiskBench> {
  const root = await mkdtemp(join(tmpdir(), 'twinfold-disk-'))
  return {
    disk: nodeDiskWith(native),
    root,
    umask: process.umask(),
    async asOrdinaryUser() {
      if (process.getuid?.() !== 0) return { [Symbol.dispose]: () => {} }
      await chown(root, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
      process.seteuid?.(UNPRIVILEGED_ID)
      return { [Symbol.dispose]: () => process.seteuid?.(0) }
    },
    exchanges: native() !== undefined,
    timeErrorNs: native() === undefined ? 120 : 0, // Node takes times as double precision seconds
    putInvalidName: (directory) => writeFile(Buffer.from(`${directory}/a\xffb`, 'latin1'), ''),
    putPipe: async (path) => void execFileSync('mkfifo', [path]),
    async [Symbol.asyncDispose]() {
      await chmod(root, 0o755)
      await rm(root, { recursive: true, force: true })
    },
  }
}

for (const [name, options] of [
  ['sim disk', {}],
  ['sim disk with short reads', { shortReads: new SimRandom(1) }],
  ['sim disk without exchanges', { exchanges: false }],
] as const) {
  diskContract(name, async () => {
    const disk = new SimDisk(new SimClock(), options)
    await disk.makeDirectory('/root', 0o755)
    return {
      disk,
      root: '/root',
      umask: 0o022,
      asOrdinaryUser: async () => ({ [Symbol.dispose]: () => {} }),
      exchanges: name !== 'sim disk without exchanges',
      timeErrorNs: 0,
      putInvalidName: async (directory) => disk.putInvalidName(directory, 'a\\xffb'),
      putPipe: async (path) => disk.putOther(path),
      [Symbol.asyncDispose]: async () => {},
    }
  })
}
