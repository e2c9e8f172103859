import { readFileSync } from 'node:fs'
import { systemCode } from '../../../core/errors.ts'

/** A limit of the system and its setting. */
interface Limit {
  readonly allowed: number | undefined
  readonly setting: string
}

/** The lower of two limits: of the system and of the container. */
function lowerLimit(kind: 'watches' | 'instances'): Limit {
  const system = { allowed: systemSetting(`fs/inotify/max_user_${kind}`), setting: `fs.inotify.max_user_${kind}` }
  const here = { allowed: systemSetting(`user/max_inotify_${kind}`), setting: `user.max_inotify_${kind}` }
  return (here.allowed ?? Infinity) < (system.allowed ?? Infinity) ? here : system
}

/** How many directories all programs of a user may watch; undefined where unknown. */
export function watchesMax(): number | undefined {
  return lowerLimit('watches').allowed
}

/** Length of the event queue of the system; undefined where unknown. */
export function queuedEventsMax(): number | undefined {
  return systemSetting('fs/inotify/max_queued_events')
}

function systemSetting(name: string): number | undefined {
  try {
    const value = Number.parseInt(readFileSync(`/proc/sys/${name}`, 'utf8'), 10)
    return Number.isSafeInteger(value) ? value : undefined
  } catch {
    return undefined // no /proc
  }
}

export function isWatchLimit(error: unknown): boolean {
  return systemCode(error) === 'ENOSPC' || systemCode(error) === 'EMFILE'
}

/** Adds the needed and the allowed number to errors caused by a limit; returns others unchanged. */
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
      `watching needs one more inotify instance, the system allows ${allowed ?? 'no more'} ` +
        `for all programs of a user: raise ${setting}`,
      { cause: error },
    )
  }
  return error instanceof Error ? error : new Error(String(error))
}
