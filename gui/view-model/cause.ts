/** The kinds of errors that the page explains; each has a text `cause.…` and a remedy `remedy.…`. */
export const CAUSE_CODES = [
  'noSource',
  'marker',
  'missing',
  'notDirectory',
  'replaced',
  'full',
  'permission',
  'readOnly',
  'io',
  'tooMany',
  'longName',
  'notEmpty',
  'case',
  'badName',
  'changed',
  'other',
] as const

export type CauseCode = (typeof CAUSE_CODES)[number]

type Patterns = readonly (readonly [RegExp, CauseCode])[]

/** Errors of folders and disks. Other clients match these messages, so they do not change. */
const OF_DISKS: Patterns = [
  [/marker missing/i, 'marker'],
  [/path missing/i, 'missing'],
  [/not a directory/i, 'notDirectory'],
  [/(was )?replaced by another/i, 'replaced'],
  [/no space|ENOSPC|insufficient space|disk is full|free space|disk quota|EDQUOT/i, 'full'],
  [/permission denied|EACCES|EPERM|not permitted/i, 'permission'],
  [/read-only file system|EROFS/i, 'readOnly'],
  [/input\/output error|i\/o error|\bEIO\b/i, 'io'],
  [/EMFILE|ENFILE|too many open/i, 'tooMany'],
]

/** Errors of single items. The patterns are common words, so they are not applied to other messages. */
const OF_ITEMS: Patterns = [
  [/no connected device has/i, 'noSource'],
  [/name too long|ENAMETOOLONG/i, 'longName'],
  [/not empty|ENOTEMPTY|contains/i, 'notEmpty'],
  [/different case|case conflict|differs only in case/i, 'case'],
  [/invalid (file)?name|reserved|disallowed/i, 'badName'],
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

/** Whether the message says that the watched directory is gone: its disk may have been removed. */
export function isDirectoryGone(watchError: string): boolean {
  return /ENOENT|no such file|path missing/i.test(watchError)
}

function find(patterns: Patterns, text: string): CauseCode | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1]
}

/** An item that failed. */
export interface ItemProblem {
  readonly path: string
  readonly error: string
}

/** The failed items of one cause. */
export interface CauseGroup {
  readonly code: CauseCode
  readonly problems: readonly ItemProblem[]
}

/** By cause, the largest group first. Items without a source are no errors, and come last. */
export function groupByCause(problems: readonly ItemProblem[]): readonly CauseGroup[] {
  const groups = Map.groupBy(problems, ({ error }) => causeOf(error))
  return [...groups]
    .map(([code, found]) => ({ code, problems: found }))
    .sort(
      (one, other) =>
        Number(one.code === 'noSource') - Number(other.code === 'noSource') ||
        other.problems.length - one.problems.length ||
        CAUSE_CODES.indexOf(one.code) - CAUSE_CODES.indexOf(other.code),
    )
}
