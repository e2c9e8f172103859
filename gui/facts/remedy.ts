/** The word that tells the next step, in the table of the overview. */
export type RemedyKey =
  | 'notice.marker' | 'notice.path' | 'notice.watch' | 'notice.space' | 'notice.port' | 'notice.permission'
  | 'notice.credentials' | 'notice.untrusted' | 'notice.configCopy' | 'notice.readOnly'

/** What is asked first goes before: a limit of watches is reported by the system as a full disk. */
const REMEDIES: readonly (readonly [RegExp, RemedyKey])[] = [
  [/folder marker missing/i, 'notice.marker'],
  [/folder path (missing|not a directory|was replaced)/i, 'notice.path'],
  [/not watched|inotify|max_user_watches/i, 'notice.watch'],
  [/insufficient space|no space left|ENOSPC|disk quota|EDQUOT/i, 'notice.space'],
  [/address already in use|EADDRINUSE/i, 'notice.port'],
  [/read-only file system|EROFS/i, 'notice.readOnly'],
  [/permission denied|operation not permitted|EACCES|EPERM/i, 'notice.permission'],
  [/wrong credentials/i, 'notice.credentials'],
  [/untrusted device/i, 'notice.untrusted'],
  [/changed by another program|kept copy/i, 'notice.configCopy'],
]

/** What a person can do about a warning; undefined where we know nothing better than the message. */
export function remedyOf(message: string): RemedyKey | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(message))?.[1]
}
