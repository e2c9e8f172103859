import { join } from 'node:path'
import { TwinfoldError } from '../../core/errors.ts'
import type { Locations } from '../../core/locations.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'

const RETRY_MS = 100
const RETRIES_MAX = 20

/**
 * As below, for a daemon that is started right after another was stopped: a Syncthing no longer answers requests some
 * time before it has ended.
 */
export async function lockHomeInTime(
  { clock, disk }: { readonly clock: Pick<Clock, 'sleep'>; readonly disk: Disk },
  locations: Locations,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await lockHome(disk, locations)
    } catch (error) {
      if (!(error instanceof TwinfoldError) || error.code !== 'home-locked' || attempt === RETRIES_MAX) throw error
    }
    await clock.sleep(RETRY_MS, signal)
  }
}

/**
 * Locks the home against other processes. Syncthing since 1.29 takes the same lock file; an older one only locks its
 * database, so that lock is taken, too, if the database exists.
 */
async function lockHome(disk: Disk, locations: Locations): Promise<AsyncDisposable> {
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
