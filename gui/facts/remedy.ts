import type { TextKey } from '../words/words.ts'

type Remedies = readonly (readonly [RegExp, TextKey])[]

/** Errors of folders and disks. Other clients match these messages, so they do not change. */
const WITH_DISKS: Remedies = [
  [/marker missing/i, 'remedy.marker'],
  [/path missing/i, 'remedy.missing'],
  [/not a directory/i, 'remedy.notDirectory'],
  [/(was )?replaced by another/i, 'remedy.replaced'],
  [/no space|ENOSPC|insufficient space|disk is full|free space|disk quota|EDQUOT/i, 'remedy.full'],
  [/permission denied|EACCES|EPERM|not permitted/i, 'remedy.permission'],
  [/read-only file system|EROFS/i, 'remedy.readOnly'],
  [/EMFILE|ENFILE|too many open/i, 'remedy.tooMany'],
]

/** Errors of single items. The patterns are common words, so they are not applied to other messages. */
const WITH_ITEMS: Remedies = [
  [/name too long|ENAMETOOLONG/i, 'remedy.longName'],
  [/not empty|ENOTEMPTY|contains/i, 'remedy.notEmpty'],
  [/different case|case conflict|differs only in case/i, 'remedy.case'],
  [/invalid (file)?name|reserved|disallowed/i, 'remedy.badName'],
  [/modified|changed (during|while)|exists|EEXIST/i, 'remedy.changed'],
]

/** Warnings of the device. The order matters: the system reports an exceeded watch limit as a full disk. */
const WITH_DEVICE: Remedies = [
  [/not watched|inotify|max_user_watches/i, 'notice.watch'],
  [/address already in use|EADDRINUSE/i, 'notice.port'],
  [/wrong credentials/i, 'notice.credentials'],
  [/untrusted device/i, 'notice.untrusted'],
  [/changed by another program|kept copy/i, 'notice.configCopy'],
]

/** The remedy for the error of an item or a folder. */
export function remedyFor(error: string): TextKey {
  return find([...WITH_DISKS, ...WITH_ITEMS], error) ?? 'remedy.other'
}

/** The remedy for a warning; undefined where the message is sufficient. */
export function remedyOf(message: string): TextKey | undefined {
  return find([...WITH_DEVICE, ...WITH_DISKS], message)
}

function find(remedies: Remedies, text: string): TextKey | undefined {
  return remedies.find(([pattern]) => pattern.test(text))?.[1]
}
