/** The word that tells the next step, in the table of the overview. */
export type RemedyKey =
  | 'remedy.marker' | 'remedy.path' | 'remedy.watch' | 'remedy.space' | 'remedy.port' | 'remedy.permission'
  | 'remedy.credentials' | 'remedy.untrusted' | 'remedy.configCopy' | 'remedy.readOnly'

/** What is asked first goes before: a limit of watches is reported by the system as a full disk. */
const REMEDIES: readonly (readonly [RegExp, RemedyKey])[] = [
  [/folder marker missing/i, 'remedy.marker'],
  [/folder path (missing|not a directory|was replaced)/i, 'remedy.path'],
  [/not watched|inotify|max_user_watches/i, 'remedy.watch'],
  [/insufficient space|no space left|ENOSPC|disk quota|EDQUOT/i, 'remedy.space'],
  [/address already in use|EADDRINUSE/i, 'remedy.port'],
  [/read-only file system|EROFS/i, 'remedy.readOnly'],
  [/permission denied|operation not permitted|EACCES|EPERM/i, 'remedy.permission'],
  [/wrong credentials/i, 'remedy.credentials'],
  [/untrusted device/i, 'remedy.untrusted'],
  [/changed by another program|kept copy/i, 'remedy.configCopy'],
]

/** What a person can do about a warning; undefined where we know nothing better than the message. */
export function remedyOf(message: string): RemedyKey | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(message))?.[1]
}
