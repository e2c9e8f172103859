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

export interface Health extends RootIdentity {
  /** The item beside the marker that the caller named; undefined where there is none. */
  readonly beside: DiskStat | undefined
}

/**
 * Checks that the folder root is still valid: an empty mount point must never count as everything deleted. Rejects with
 * `folder-error` and the reason, in Syncthing's wording. `beside` is looked up in the same call.
 */
export async function checkHealth(disk: Disk, options: HealthOptions, beside?: string): Promise<Health> {
  const names = beside === undefined ? [options.markerName] : [options.markerName, beside]
  // At once: they are most of the time that the scan of a single file takes. Of several reasons the first is reported.
  const space = options.spaceKnown === true ? undefined : checkHomeSpace(disk, options)
  space?.catch(() => {}) // awaited below, unless there is another reason
  const { directory, items } = await disk.statDirectory(options.root, names).catch(failed)
  if (directory.type !== 'directory') throw new TwinfoldError('folder-error', PATH_NO_DIRECTORY)
  if (items[0] === undefined) throw stopped('marker-missing', undefined)
  if (space !== undefined) await space
  return { deviceId: directory.deviceId, inode: directory.inode, beside: items[1] }
}

/** The same, and the root must still be the directory of the start of the scan, before its results are stored. */
export async function checkSameRoot(disk: Disk, options: HealthOptions, before: RootIdentity): Promise<void> {
  const now = await checkHealth(disk, options)
  if (now.deviceId !== before.deviceId || now.inode !== before.inode)
    throw new TwinfoldError('folder-error', ROOT_REPLACED)
}

function failed(error: unknown): never {
  if (isMissing(error)) throw stopped('path-missing', error)
  throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
}

function stopped(detail: 'marker-missing' | 'path-missing', cause: unknown): TwinfoldError {
  return new TwinfoldError('folder-error', STOP_REASONS[detail], { cause, detail })
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
