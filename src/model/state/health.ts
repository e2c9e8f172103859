import { join } from 'node:path'
import type { Size } from '../../core/config/config.ts'
import { shortageOf } from '../../core/config/disk-space.ts'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import { PATH_NO_DIRECTORY, STOP_REASONS } from '../../core/folder-stop.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'

export const ROOT_REPLACED = 'folder path was replaced by another directory while it was being scanned'

export interface HealthOptions {
  readonly root: string
  readonly markerName: string
  readonly databaseDirectory: string
  readonly minHomeDiskFree: Size
  /** The space for the database was checked recently and is not checked again. */
  readonly spaceKnown?: boolean
}

/** Identity of the root directory at the time of the check: a mount or unmount changes it. */
export interface RootIdentity {
  readonly deviceId: bigint
  readonly inode: bigint
}

/**
 * Checks that the folder root is still valid: an empty mount point must never count as everything deleted. Rejects with
 * `folder-error` and the reason, in Syncthing's wording.
 */
export async function checkHealth(disk: Disk, options: HealthOptions): Promise<RootIdentity> {
  // All checks in parallel: they dominate the scan of a single file. Of several reasons the first is reported.
  const [root, marker, space] = await Promise.allSettled([
    statOrFail(() => disk.stat(options.root), 'path-missing'),
    statOrFail(() => disk.lstat(join(options.root, options.markerName)), 'marker-missing'),
    options.spaceKnown === true ? undefined : checkHomeSpace(disk, options),
  ])
  if (root.status === 'rejected') throw root.reason
  if (root.value.type !== 'directory') throw new TwinfoldError('folder-error', PATH_NO_DIRECTORY)
  if (marker.status === 'rejected') throw marker.reason
  if (space.status === 'rejected') throw space.reason
  return { deviceId: root.value.deviceId, inode: root.value.inode }
}

/** The same, and the root must still be the directory of the start of the scan, before its results are stored. */
export async function checkSameRoot(disk: Disk, options: HealthOptions, before: RootIdentity): Promise<void> {
  const now = await checkHealth(disk, options)
  if (now.deviceId !== before.deviceId || now.inode !== before.inode)
    throw new TwinfoldError('folder-error', ROOT_REPLACED)
}

async function statOrFail(stat: () => Promise<DiskStat>, detail: keyof typeof STOP_REASONS): Promise<DiskStat> {
  try {
    return await stat()
  } catch (error) {
    if (!isMissing(error)) throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
    throw new TwinfoldError('folder-error', STOP_REASONS[detail], { cause: error, detail })
  }
}

async function checkHomeSpace(disk: Disk, options: HealthOptions): Promise<void> {
  if (!(options.minHomeDiskFree.value > 0)) return
  const space = await disk.space(options.databaseDirectory).catch(() => undefined) // unknown space is no reason to stop
  const shortage = space === undefined ? undefined : shortageOf(space, options.minHomeDiskFree)
  if (shortage === undefined) return
  throw new TwinfoldError(
    'folder-error',
    `insufficient space on disk for database (${options.databaseDirectory}): ${shortage}`,
  )
}
