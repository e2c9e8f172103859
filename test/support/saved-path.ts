import type { Config } from '../../src/core/config/config.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { writeFileAtomically } from '../../src/platform/files/atomic-write.ts'
import type { SimDisk } from '../../src/platform/sim/disk.ts'

const FILE = '/home/me/config.txt'

/** A configuration with the path of its folder that was saved last: it survives a power loss. */
export function withSavedPath({ direct }: SimDisk, config: Config): Config {
  const saved = direct.look(FILE)?.content
  if (saved === undefined) return config
  const path = Buffer.from(saved).toString()
  return { ...config, folders: config.folders.map((folder) => ({ ...folder, path })) }
}

export async function savePath(disk: Disk, config: Config): Promise<void> {
  await writeFileAtomically(disk, FILE, Buffer.from(config.folders[0]?.path ?? ''), 0o600, 'config.txt.tmp')
}
