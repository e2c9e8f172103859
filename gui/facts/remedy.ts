import type { WordKey } from '../words/words.ts'

type Remedies = readonly (readonly [RegExp, WordKey])[]

/** What goes wrong with folders and disks, whoever tells of it; clients know these words, so they stay. */
const WITH_DISKS: Remedies = [
  [/marker missing/i, 'cure.marker'],
  [/path missing/i, 'cure.missing'],
  [/not a directory/i, 'cure.notDirectory'],
  [/(was )?replaced by another/i, 'cure.replaced'],
  [/no space|ENOSPC|insufficient space|disk is full|free space|disk quota|EDQUOT/i, 'cure.full'],
  [/permission denied|EACCES|EPERM|not permitted/i, 'cure.permission'],
  [/read-only file system|EROFS/i, 'cure.readOnly'],
  [/EMFILE|ENFILE|too many open/i, 'cure.tooMany'],
]

/** Of single items. The words are common ones: in any other message they would mean something else. */
const WITH_ITEMS: Remedies = [
  [/name too long|ENAMETOOLONG/i, 'cure.longName'],
  [/not empty|ENOTEMPTY|contains/i, 'cure.notEmpty'],
  [/different case|case conflict|differs only in case/i, 'cure.case'],
  [/invalid (file)?name|reserved|disallowed/i, 'cure.badName'],
  [/modified|changed (during|while)|exists|EEXIST/i, 'cure.changed'],
]

/** Of the device. What is asked first goes before: a limit of watches is reported by the system as a full disk. */
const WITH_DEVICE: Remedies = [
  [/not watched|inotify|max_user_watches/i, 'notice.watch'],
  [/address already in use|EADDRINUSE/i, 'notice.port'],
  [/wrong credentials/i, 'notice.credentials'],
  [/untrusted device/i, 'notice.untrusted'],
  [/changed by another program|kept copy/i, 'notice.configCopy'],
]

/** What helps against the error of an item or a folder. */
export function remedyFor(error: string): WordKey {
  return find([...WITH_DISKS, ...WITH_ITEMS], error) ?? 'cure.other'
}

/** What a person can do about a warning; undefined where we know nothing better than the message. */
export function remedyOf(message: string): WordKey | undefined {
  return find([...WITH_DEVICE, ...WITH_DISKS], message)
}

function find(remedies: Remedies, text: string): WordKey | undefined {
  return remedies.find(([pattern]) => pattern.test(text))?.[1]
}
