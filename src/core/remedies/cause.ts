/** The kinds of errors that have a remedy, with the name that each has on the page, in commands and in the log. */
export const CAUSE_NAMES = {
  noSource: 'no connected device has it',
  marker: 'the folder marker is missing',
  missing: 'the directory or disk is missing',
  notDirectory: 'the path is not a directory',
  replaced: 'another directory is at this path now',
  watches: 'the system allows too few watches',
  lowSpace: 'less space is free than the folder keeps free',
  lowHome: 'less space is free than the database needs',
  full: 'the disk is full',
  permission: 'permission denied',
  readOnly: 'the disk is read-only',
  io: 'the disk reports errors',
  tooMany: 'too many open files',
  longName: 'the name is too long',
  notEmpty: 'the directory is not empty',
  case: 'names differ only in case',
  badName: 'the name is not allowed here',
  changed: 'changed while it was processed',
  other: 'another error',
} as const

export type CauseCode = keyof typeof CAUSE_NAMES

export const CAUSE_CODES = Object.keys(CAUSE_NAMES) as readonly CauseCode[]

type Patterns = readonly (readonly [RegExp, CauseCode])[]

/**
 * Errors of folders and disks, of which REST has only texts. Other clients match them, so they do not change. The order
 * matters: the system reports an exceeded limit of watches as a full disk.
 */
const OF_DISKS: Patterns = [
  [/marker missing/i, 'marker'],
  [/path missing/i, 'missing'],
  [/not a directory/i, 'notDirectory'],
  [/(was )?replaced by another/i, 'replaced'],
  [/inotify|max_user_watches|file watchers/i, 'watches'],
  [/insufficient space on disk for database/i, 'lowHome'],
  [/insufficient space|< required|must stay free/i, 'lowSpace'],
  [/no space|ENOSPC|disk is full|disk quota|EDQUOT/i, 'full'],
  [/permission denied|EACCES|EPERM|not permitted/i, 'permission'],
  [/read-only file system|EROFS/i, 'readOnly'],
  [/input\/output error|i\/o error|\bEIO\b/i, 'io'],
  [/EMFILE|ENFILE|too many open/i, 'tooMany'],
]

/** Errors of single items. The patterns are common words, so they are not applied to other messages. */
const OF_ITEMS: Patterns = [
  [/no connected device has|had this file went away/i, 'noSource'],
  [/name too long|ENAMETOOLONG/i, 'longName'],
  [/not empty|ENOTEMPTY|contains/i, 'notEmpty'],
  [/different case|case conflict|differs only in case|upper or lowercase/i, 'case'],
  [/invalid (file ?)?name|reserved|disallowed|cannot have this name/i, 'badName'],
  [/modified|changed (during|while)|exists|EEXIST/i, 'changed'],
]

/** The cause of the error of an item or a folder. */
export function causeOf(error: string): CauseCode {
  return find([...OF_DISKS, ...OF_ITEMS], error) ?? 'other'
}

/** The cause of a message that need not be about a disk; undefined for any other. */
export function diskCauseOf(message: string): CauseCode | undefined {
  return find(OF_DISKS, message)
}

/** Whether a watch failed because its directory is gone: its disk may have been removed. REST has only texts. */
export function isDirectoryGone(watchError: string): boolean {
  return /ENOENT|no such file|path missing/i.test(watchError)
}

function find(patterns: Patterns, text: string): CauseCode | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1]
}
