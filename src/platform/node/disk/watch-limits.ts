import { readFileSync } from 'node:fs'
import { systemCode } from '../../../core/errors.ts'

/** What the system allows, and the setting that says so. */
interface Limit {
  readonly allowed: number | undefined
  readonly setting: string
}

/** The lower of two: the one of the system, and the one of the container that we may be in. */
function lowerLimit(kind: 'watches' | 'instances'): Limit {
  const system = { allowed: systemSetting(`fs/inotify/max_user_${kind}`), setting: `fs.inotify.max_user_${kind}` }
  const here = { allowed: systemSetting(`user/max_inotify_${kind}`), setting: `user.max_inotify_${kind}` }
  return (here.allowed ?? Infinity) < (system.allowed ?? Infinity) ? here : system
}

/** How many events the system holds for us; undefined where it names no number. */
export function queuedEventsMax(): number | undefined {
  return systemSetting('fs/inotify/max_queued_events')
}

function systemSetting(name: string): number | undefined {
  try {
    const value = Number.parseInt(readFileSync(`/proc/sys/${name}`, 'utf8'), 10)
    return Number.isSafeInteger(value) ? value : undefined
  } catch {
    return undefined // not a Linux, or one that hides its settings
  }
}

export function isWatchLimit(error: unknown): boolean {
  return systemCode(error) === 'ENOSPC' || systemCode(error) === 'EMFILE'
}

/** An error that says what is needed and what is allowed, for those that come from a limit; any other as it is. */
export function explainWatchError(error: unknown, watchesNeeded: number): Error {
  const code = systemCode(error)
  if (code === 'ENOSPC') {
    const { allowed, setting } = lowerLimit('watches')
    return new Error(
      `watching needs ${watchesNeeded} directories or more, the system allows ${allowed ?? 'fewer'} ` +
        `for all programs of a user: raise ${setting}`,
      { cause: error },
    )
  }
  if (code === 'EMFILE') {
    const { allowed, setting } = lowerLimit('instances')
    return new Error(
      `watching needs one more inotify instance, the system allows ${allowed ?? 'no more'} for all programs of a user: ` +
        `raise ${setting}`,
      { cause: error },
    )
  }
  return error instanceof Error ? error : new Error(String(error))
}
