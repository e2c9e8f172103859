import { join } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import type { Locations } from '../../core/locations.ts'
import type { Disk } from '../../platform/disk.ts'

/**
 * Locks the home against other processes. Syncthing since 1.29 takes the same lock file; an older one only locks its
 * database, so that lock is taken, too, if the database exists.
 */
export async function lockHome(disk: Disk, locations: Locations): Promise<AsyncDisposable> {
  const held = new AsyncDisposableStack()
  try {
    await hold(held, disk.lock(locations.lockFile), locations.lockFile)
    const oldDatabase = join(locations.dataDirectory, 'index-v0.14.0.db', 'LOCK')
    const isThere = await disk.lstat(oldDatabase).then(
      () => true,
      () => false,
    ) // an unreadable one is treated as absent
    if (isThere) await hold(held, disk.lock(oldDatabase, { leaveFile: true }), oldDatabase)
    return held
  } catch (error) {
    await held.disposeAsync()
    throw error
  }
}

async function hold(
  held: AsyncDisposableStack,
  locking: Promise<AsyncDisposable | undefined>,
  path: string,
): Promise<void> {
  const lock = await locking
  if (lock === undefined) {
    throw new TwinfoldError(
      'home-locked',
      `another Twinfold or Syncthing is already running on this home (${path} is locked); stop it, or choose ` +
        `another --home`,
    )
  }
  held.use(lock)
}
