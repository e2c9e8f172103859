import { isPathWithin, pathKey } from '../paths.ts'

type MoveProblemCode =
  | 'relative'
  | 'same'
  | 'inside'
  | 'around'
  | 'other-folder'
  | 'home'
  | 'used'
  | 'no-directory'
  | 'no-parent'
  | 'unreadable'
  | 'mounted'
  | 'stopped'
  | 'no-space'

/** Why a folder cannot be moved to a directory, with the remedy. */
export interface MoveProblem {
  readonly code: MoveProblemCode
  readonly text: string
}

/** What is at the new place. */
export type TargetPlace =
  | { readonly kind: 'missing' | 'empty' | 'used' | 'no-directory' | 'no-parent' }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** All paths are absolute and without symlinks. */
export interface MoveFacts {
  readonly from: string
  readonly to: string
  readonly place: TargetPlace
  readonly otherFolders: readonly { readonly id: string; readonly root: string }[]
  readonly homes: readonly string[]
  /** Directories inside the folder at which other file systems are mounted. */
  readonly mounts: readonly string[]
}

/** The first reason why a folder cannot be moved there; undefined if it can. */
export function moveProblem(facts: MoveFacts): MoveProblem | undefined {
  return relationProblem(facts) ?? othersProblem(facts) ?? placeProblem(facts)
}

function relationProblem({ from, to, mounts }: MoveFacts): MoveProblem | undefined {
  if (pathKey(from) === pathKey(to)) return { code: 'same', text: `the folder is at ${to} already` }
  if (isBelow(to, from)) return { code: 'inside', text: `${to} is inside the folder itself; choose another directory` }
  if (isBelow(from, to)) return { code: 'around', text: `${to} contains the folder; choose another directory` }
  const [first] = mounts
  if (first === undefined) return undefined
  return { code: 'mounted', text: `another file system is mounted inside the folder, at ${first}; unmount it first` }
}

function othersProblem({ from, to, otherFolders, homes }: MoveFacts): MoveProblem | undefined {
  for (const { id, root } of otherFolders) {
    if (root === '') continue
    if (isWithin(to, root)) return otherFolder(`${to} is inside the folder "${id}" (${root})`)
    if (isBelow(root, to)) return otherFolder(`${to} contains the folder "${id}" (${root})`)
    if (isWithin(root, from)) return otherFolder(`the folder "${id}" (${root}) is inside this one`)
  }
  for (const home of homes) {
    if (isWithin(home, to))
      return { code: 'home', text: `${to} contains the home of this device (${home}); choose another directory` }
    if (isBelow(to, home))
      return { code: 'home', text: `${to} is inside the home of this device (${home}); choose another directory` }
    if (isWithin(home, from))
      return { code: 'home', text: `the folder contains the home of this device (${home}); move that first` }
  }
  return undefined
}

function otherFolder(text: string): MoveProblem {
  return { code: 'other-folder', text: `${text}; choose a directory apart from all folders` }
}

function placeProblem({ to, place }: MoveFacts): MoveProblem | undefined {
  switch (place.kind) {
    case 'missing':
    case 'empty':
      return undefined
    case 'used':
      return { code: 'used', text: `${to} is not empty; choose an empty or a new directory` }
    case 'no-directory':
      return { code: 'no-directory', text: `${to} is not a directory; choose another path` }
    case 'no-parent':
      return { code: 'no-parent', text: `the directory above ${to} does not exist; mount or create it first` }
    case 'unreadable':
      return { code: 'unreadable', text: `${to} cannot be read: ${place.reason}; check its permissions` }
  }
}

/** What file systems add to small files. */
const UNIT_BYTES = 4_096
/** Kept free beside the copy, for directories and the file system itself. */
const SPARE_BYTES = 4 * 1_024 * 1_024

/** The space that a file takes on a disk. */
export function spaceFor(sizeBytes: number): number {
  return Math.ceil(sizeBytes / UNIT_BYTES) * UNIT_BYTES
}

export function spaceProblem(to: string, neededBytes: number, freeBytes: number | undefined): MoveProblem | undefined {
  if (freeBytes === undefined || neededBytes + SPARE_BYTES <= freeBytes) return undefined
  const text = `the disk of ${to} has ${freeBytes} bytes left, and the folder needs ${neededBytes}`
  return { code: 'no-space', text: `${text}; free space there, or choose another disk` }
}

function isWithin(path: string, directory: string): boolean {
  return isPathWithin(pathKey(path), pathKey(directory))
}

function isBelow(path: string, directory: string): boolean {
  return pathKey(path) !== pathKey(directory) && isWithin(path, directory)
}
