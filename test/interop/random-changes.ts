import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

const KIB = 1024
const SIZES_BYTES = [0, 1, 100, 5_000, 128 * KIB - 1, 128 * KIB, 128 * KIB + 1, 700_000]
const FILE_MODES = [0o644, 0o600, 0o755, 0o444, 0o640]
const DIRECTORY_MODES = [0o755, 0o700, 0o775]
const NAMES = ['a', 'b', 'c', 'ä', '日', '😀', '.dot', 'with blank', 'file.txt', 'g.tar.gz']
const CONFLICT = /\.sync-conflict-/

/** The same numbers for the same seed: a failed round can be had again. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  shuffled<T>(list: readonly T[]): readonly T[] {
    return list
      .map((value) => ({ value, rank: this.below(1_000_000) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ value }) => value)
  }
}

export interface ChangeOptions {
  readonly chance: Chance
  /** Only below these names of the root, which always stay directories. */
  readonly tops: readonly string[]
  readonly count: number
  /** Without: a name is a file, a directory or a symlink for good, so that two sides can never disagree about that. */
  readonly typeChanges: boolean
}

/** Does to a tree what people and programs do. Returns how often what was done. */
export function changeAtRandom(
  root: string,
  { chance, tops, count, typeChanges }: ChangeOptions,
): Record<string, number> {
  const done: Record<string, number> = {}
  for (const top of tops) mkdirSync(join(root, top), { recursive: true })
  const actions: readonly (readonly [string, Change])[] = [
    ['create', create],
    ['create', create],
    ['create', create],
    ['edit', edit],
    ['edit', edit],
    ['chmod', chmod],
    ['touch', touch],
    ['remove', remove],
    ['remove', remove],
    ['make-directory', makeDirectory],
    ['rename-file', renameFile],
    ['link', makeLink],
    ['remove-directory', removeDirectory],
    ['chmod-directory', chmodDirectory],
    ...(typeChanges
      ? ([
          ['rename-directory', renameDirectory],
          ['other-type', changeType],
        ] as const)
      : []),
  ]
  for (let number = 0; number < count; number++) {
    const [title, action] = chance.pick(actions)
    if (action({ root, chance, tops })) done[title] = (done[title] ?? 0) + 1
  }
  return done
}

interface Place {
  readonly root: string
  readonly chance: Chance
  readonly tops: readonly string[]
}

/** False when there was nothing to do it to. */
type Change = (place: Place) => boolean

function namesOf(place: Place, type: 'file' | 'directory'): string[] {
  const names: string[] = []
  const visit = (directory: string): void => {
    for (const entry of readdirSync(join(place.root, directory), { withFileTypes: true })) {
      if (CONFLICT.test(entry.name)) continue
      const name = `${directory}/${entry.name}`
      if (type === 'file' ? entry.isFile() : entry.isDirectory()) names.push(name)
      if (entry.isDirectory()) visit(name)
    }
  }
  for (const top of place.tops) visit(top)
  return names.sort()
}

function freshName(place: Place, prefix: 'file' | 'dir' | 'link'): string | undefined {
  const parent = place.chance.pick([...place.tops, ...namesOf(place, 'directory')])
  const name = `${parent}/${prefix}-${place.chance.pick(NAMES)}`
  return name.split('/').length > 6 ? undefined : name
}

function create(place: Place): boolean {
  const name = freshName(place, 'file')
  if (name === undefined || lstatSync(join(place.root, name), { throwIfNoEntry: false })?.isFile() === false)
    return false
  const path = join(place.root, name)
  rmSync(path, { force: true })
  writeFileSync(path, randomBytes(place.chance.pick(SIZES_BYTES)))
  chmodSync(path, place.chance.pick(FILE_MODES))
  return true
}

function withFile(place: Place, change: (path: string) => void): boolean {
  const files = namesOf(place, 'file')
  if (files.length === 0) return false
  change(join(place.root, place.chance.pick(files)))
  return true
}

/** In the middle, at the end, or by cutting off: never the whole file, so that blocks are found again. */
function edit(place: Place): boolean {
  return withFile(place, (path) => {
    const { size } = lstatSync(path)
    const way = place.chance.below(3)
    if (way === 0 && size > 1) return truncateSync(path, place.chance.below(size))
    const file = openSync(path, way === 1 ? 'a' : 'r+')
    writeSync(
      file,
      randomBytes(1 + place.chance.below(3_000)),
      0,
      undefined,
      way === 1 ? null : place.chance.below(size + 1),
    )
    closeSync(file)
  })
}

function chmod(place: Place): boolean {
  return withFile(place, (path) => chmodSync(path, place.chance.pick(FILE_MODES)))
}

function touch(place: Place): boolean {
  return withFile(place, (path) => {
    const timeS = 1_500_000_000 + place.chance.below(200_000_000) + place.chance.below(1_000) / 1_000
    utimesSync(path, timeS, timeS)
  })
}

function remove(place: Place): boolean {
  return withFile(place, (path) => rmSync(path))
}

/** A symlink that leads nowhere is there too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function makeDirectory(place: Place): boolean {
  const name = freshName(place, 'dir')
  if (name === undefined || isThere(join(place.root, name))) return false
  mkdirSync(join(place.root, name))
  return true
}

function renameFile(place: Place): boolean {
  const to = freshName(place, 'file')
  if (to === undefined || lstatSync(join(place.root, to), { throwIfNoEntry: false })?.isFile() === false) return false
  return withFile(place, (path) => renameSync(path, join(place.root, to)))
}

function makeLink(place: Place): boolean {
  const name = freshName(place, 'link')
  if (name === undefined || lstatSync(join(place.root, name), { throwIfNoEntry: false })?.isSymbolicLink() === false)
    return false
  rmSync(join(place.root, name), { force: true })
  symlinkSync(place.chance.pick(['../nowhere', 'file-a', '/etc/hostname', '.', '😀']), join(place.root, name))
  return true
}

function withDirectory(place: Place, change: (path: string) => void): boolean {
  const directories = namesOf(place, 'directory')
  if (directories.length === 0) return false
  change(join(place.root, place.chance.pick(directories)))
  return true
}

function removeDirectory(place: Place): boolean {
  return withDirectory(place, (path) => rmSync(path, { recursive: true }))
}

function chmodDirectory(place: Place): boolean {
  return withDirectory(place, (path) => chmodSync(path, place.chance.pick(DIRECTORY_MODES)))
}

function renameDirectory(place: Place): boolean {
  const to = join(place.root, `${place.chance.pick(place.tops)}/dir-${place.chance.pick(NAMES)}-moved`)
  if (isThere(to)) return false
  return withDirectory(place, (path) => {
    if (!to.startsWith(`${path}/`)) renameSync(path, to) // not into itself
  })
}

function changeType(place: Place): boolean {
  const way = place.chance.below(3)
  if (way === 0) {
    return withDirectory(place, (path) => {
      rmSync(path, { recursive: true })
      writeFileSync(path, 'was a directory')
    })
  }
  return withFile(place, (path) => {
    rmSync(path)
    if (way === 1) symlinkSync('was-a-file', path)
    else {
      mkdirSync(path)
      writeFileSync(join(path, 'file-inside'), 'the outside was a file')
    }
  })
}
