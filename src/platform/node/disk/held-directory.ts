import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { DiskError } from '../../disk-error.ts'
import type { HeldDirectory } from '../../disk.ts'
import { realPathOf } from './real-path.ts'

/** O_PATH: opens without read permission; Node does not define it. */
export const O_PATH = 0o10000000

/** An open directory with a path in /proc that is independent of its name. */
export interface OpenDirectory extends Disposable {
  readonly path: string
  /** Without symlinks, at the time of opening. */
  readonly realPath: string
}

/**
 * Opens a directory, no symlink in the last component. Undefined where the system has no such paths. Synchronous,
 * because it only looks names up: in a thread the three calls take ten times as long.
 */
export function openDirectory(path: string): OpenDirectory | undefined {
  if (process.platform !== 'linux') return undefined
  const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const own = `/proc/${process.pid}/fd/${descriptor}` // by number: programs that are started find it, too
  try {
    const realPath = readlinkSync(own)
    return { path: own, realPath, [Symbol.dispose]: () => closeSync(descriptor) }
  } catch {
    closeSync(descriptor) // no /proc
    return undefined
  }
}

export async function holdDirectory(path: string): Promise<HeldDirectory> {
  const open = openDirectory(path)
  if (open === undefined) return await byName(path)
  return { path: open.path, realPath: open.realPath, [Symbol.asyncDispose]: async () => open[Symbol.dispose]() }
}

async function byName(path: string): Promise<HeldDirectory> {
  if (!(await lstat(path)).isDirectory()) throw new DiskError('ENOTDIR', 'not a directory', 'open', path)
  return { path, realPath: await realPathOf(path), async [Symbol.asyncDispose]() {} }
}
