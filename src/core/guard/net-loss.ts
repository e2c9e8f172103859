import { baseOf, parentOf } from '../paths.ts'
import type { FileHead } from '../records/file-info.ts'
import type { VersionVector } from '../records/version-vector.ts'

/** Losses within this time count together, and what was made within it is no loss. */
export const WINDOW_MS = 3_600_000

/** Fewer lost files than this are never held: a user may empty a small folder. */
const FILES_MIN = 20
/** A quarter of the files: more than a change of branch removes, less than half of a disk. */
const SHARE_MIN = 0.25
/** In a large folder a smaller share is an accident, too. */
const MANY_FILES_MIN = 10_000
const MANY_SHARE_MIN = 0.1

/** What goes from a folder. Only files with content count. */
export interface NetLoss {
  /** Without what is excused. */
  readonly lost: number
  /** Lost within the window before. */
  readonly earlier: number
  /** Files that go and are no loss: renamed, derived, made within the window, replaced. */
  readonly excused: number
  /** The files of the folder before. */
  readonly files: number
}

/** Whether a loss is unusual. What is excused does not count as part of the folder: it must not hide the rest. */
export function isMassLoss({ lost, earlier, excused, files }: NetLoss): boolean {
  const all = lost + earlier
  if (lost === 0 || all < FILES_MIN) return false
  const share = all / Math.max(all, files + earlier - excused)
  return share >= SHARE_MIN || (all >= MANY_FILES_MIN && share >= MANY_SHARE_MIN)
}

/** Directories that package managers and compilers fill again from other files. */
const DERIVED: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
  '.terraform',
  '.tox',
  '.venv',
])
/** Objects that git packs into one file. */
const LOOSE_OBJECT = /(?:^|\/)\.git\/objects\/[0-9a-f]{2}\/[0-9a-f]+$/

/** Whether a file is made from others by a program, and so no loss. By its path alone: nothing marks it otherwise. */
export function isDerived(name: string): boolean {
  return (
    LOOSE_OBJECT.test(name) ||
    name
      .split('/')
      .slice(0, -1)
      .some((part) => DERIVED.has(part))
  )
}

/** Whether every counter of a version is later: counters are seconds since 1970. */
export function isMadeSince(version: VersionVector, sinceMs: number): boolean {
  const sinceS = BigInt(Math.max(0, Math.floor(sinceMs / 1_000)))
  return version.length > 0 && version.every(({ value }) => value >= sinceS)
}

/** The path of a file without its extensions; one that begins with a dot keeps the first part. */
export function stemOf(name: string): string {
  const base = baseOf(name)
  const dot = base.indexOf('.', 1)
  const directory = parentOf(name)
  return `${directory === '' ? '' : `${directory}/`}${dot === -1 ? base : base.slice(0, dot)}`
}

/** A new file of less than this share of the old size is no replacement of it. */
const REPLACED_SHARE_MIN = 0.1

/** Whether a new file has the place of one that goes: the same name with another extension, and content. */
export function isReplacement(old: Pick<FileHead, 'name' | 'sizeBytes'>, next: Pick<FileHead, 'name' | 'sizeBytes'>) {
  if (old.name === next.name || stemOf(old.name) !== stemOf(next.name)) return false
  return next.sizeBytes > 0 && next.sizeBytes >= old.sizeBytes * REPLACED_SHARE_MIN
}
