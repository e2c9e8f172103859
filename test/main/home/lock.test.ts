import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER } from '../../../src/core/never.ts'
import type { Locations } from '../../../src/core/locations.ts'
import type { Disk } from '../../../src/platform/disk.ts'
import { lockHomeInTime } from '../../../src/main/home/lock.ts'

const LOCATIONS = { lockFile: '/home/lock', dataDirectory: '/home' } as Locations

/** A home that another process holds for so many attempts; the attempts, and the time that was waited. */
async function attemptsOf(heldFor: number) {
  const counts = { attempts: 0, waitedMs: 0 }
  const disk = {
    lock: async () => (++counts.attempts > heldFor ? { [Symbol.asyncDispose]: async () => {} } : undefined),
    lstat: () => Promise.reject(new Error('absent')),
  } as unknown as Disk
  const clock = { sleep: async (ms: number) => void (counts.waitedMs += ms) }
  const locking = lockHomeInTime({ clock, disk }, LOCATIONS, NEVER)
  return {
    counts,
    error: await locking.then(
      () => undefined,
      (error: Error) => error,
    ),
  }
}

test('a home that is released within two seconds is locked; one that is not is reported', async () => {
  assert.deepEqual(await attemptsOf(0), { counts: { attempts: 1, waitedMs: 0 }, error: undefined })
  assert.deepEqual(await attemptsOf(5), { counts: { attempts: 6, waitedMs: 500 }, error: undefined })
  const { counts, error } = await attemptsOf(Infinity)
  assert.match(error?.message ?? '', /already running on this home/)
  assert.equal(counts.waitedMs, 2_000)
})
