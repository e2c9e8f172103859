import { readFileSync } from 'node:fs'
import { systemCode } from '../../core/errors.ts'

/** What the system allows for watching; undefined where it names no number. */
export function watchLimit(name: 'max_user_watches' | 'max_user_instances' | 'max_queued_events'): number | undefined {
  try {
    const value = Number.parseInt(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'), 10)
    return Number.isSafeInteger(value) ? value : undefined
  } catch {
    return undefined // not a Linux, or one that hides its settings
  }
}

/** An error that says what is needed and what is allowed, for those that come from a limit; any other as it is. */
export function explainWatchError(error: unknown, watchesNeeded: number): Error {
  const code = systemCode(error)
  if (code === 'ENOSPC') {
    const allowed = watchLimit('max_user_watches')
    return new Error(
      `watching needs ${watchesNeeded} directories or more, the system allows ${allowed ?? 'fewer'} `
      + 'for all programs of a user: raise fs.inotify.max_user_watches', { cause: error },
    )
  }
  if (code === 'EMFILE') {
    const allowed = watchLimit('max_user_instances')
    return new Error(
      `watching needs one more inotify instance, the system allows ${allowed ?? 'no more'} for all programs of a user: `
      + 'raise fs.inotify.max_user_instances', { cause: error },
    )
  }
  return error instanceof Error ? error : new Error(String(error))
}
