import { constants, lstat, open, readlink, realpath } from 'node:fs/promises'
import { DiskError } from '../../disk-error.ts'
import type { HeldDirectory } from '../../disk.ts'

/** O_PATH: opens without read permission; Node does not define it. */
export const O_PATH = 0o10000000

/** On Linux an open directory has a path in /proc that is independent of its name. */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  if (process.platform !== 'linux') return await byName(path)
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const own = `/proc/self/fd/${handle.fd}`
  const actual = await readlink(own).catch(() => undefined) // no /proc
  if (actual !== undefined) return { path: own, realPath: actual, [Symbol.asyncDispose]: () => handle.close() }
  await handle.close()
  return await byName(path)
}

async function byName(path: string): Promise<HeldDirectory> {
  if (!(await lstat(path)).isDirectory()) throw new DiskError('ENOTDIR', 'not a directory', 'open', path)
  return { path, realPath: await realpath(path), async [Symbol.asyncDispose]() {} }
}
