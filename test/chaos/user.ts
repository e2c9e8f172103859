/** What people and programs do to a folder while it is synchronized, written to the ledger as they do it. */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { posix } from '../../src/platform/node/native/posix.ts'
import type { Chance } from '../interop/random-changes.ts'
import type { Member } from '../support/sync-pair.ts'
import type { Ledger } from './ledger.ts'

const KIB = 1024
/** A write up to this size changes one page: a reader sees the content before or after it. */
const IN_PLACE_BYTES_MAX = 4 * KIB
const SIZES_BYTES = [0, 40, 900, 3_000, 20_000, 128 * KIB, 300_000, 1_500_000]
const DIRECTORIES = ['', 'a', 'a/b', 'ä', 'with blank', 'deep/er/still']
const NAMES = ['one', 'two.txt', 'three', '日', '😀.md', '.dot', 'seven', 'eight.tar.gz']
const CONFLICT = /\.sync-conflict-/
/** The name of a file that an editor has not finished. */
export const UNFINISHED = /\.saving-\d+/
/** Below this name nothing is scanned, and it is on the disk of the folder. */
const ASIDE = '.stfolder'

type Place = Pick<Member, 'name' | 'root'>

/** One user at one device at a time. Every action is synchronous, so that none is half done when a round ends. */
export class User {
  readonly #ledger: Ledger
  readonly #chance: Chance
  #number = 0
  round = 0
  /** Actions done, and those that the system refused, as on a full disk. */
  readonly done: Record<string, number> = {}

  constructor(ledger: Ledger, chance: Chance) {
    this.#ledger = ledger
    this.#chance = chance
  }

  act(place: Place): void {
    const actions = [
      ['save', () => this.#save(place)],
      ['save', () => this.#save(place)],
      ['save', () => this.#save(place)],
      ['edit in place', () => this.#editInPlace(place)],
      ['edit in place', () => this.#editInPlace(place)],
      ['append', () => this.#append(place)],
      ['delete', () => this.#delete(place)],
      ['rename', () => this.#rename(place)],
      ['remove directory', () => this.#removeDirectory(place)],
      ['resolve conflicts', () => this.#resolveConflicts(place)],
    ] as const
    const [title, action] = this.#chance.pick(actions)
    try {
      if (action()) this.#count(title)
    } catch (error) {
      this.#count(`refused ${codeOf(error)}`)
    }
  }

  #count(title: string): void {
    this.done[title] = (this.done[title] ?? 0) + 1
  }

  /** Unique: a number, then bytes by chance. */
  #newContent(sizeBytes: number): Buffer {
    const head = Buffer.from(`${this.round}/${++this.#number}/${this.#chance.below(2 ** 30)}\n`)
    const content = Buffer.alloc(Math.max(head.length, sizeBytes))
    for (let at = 0; at < content.length; at += 4 * KIB) content.writeUInt32LE(this.#chance.below(2 ** 31), at)
    head.copy(content)
    return content
  }

  /** As editors do: a new file beside the old one, which then takes its name. */
  #save(place: Place): boolean {
    const path = join(this.#chance.pick(DIRECTORIES), this.#chance.pick(NAMES))
    const target = join(place.root, path)
    mkdirSync(dirname(target), { recursive: true })
    const content = this.#newContent(this.#chance.pick(SIZES_BYTES))
    const unfinished = join(dirname(target), `.${this.#number}.saving-${this.#number}`)
    try {
      writeFileSync(unfinished, content, { flag: 'wx' })
      this.#ledger.add(content, place.name, path, this.round, false)
      this.#takeName(place, unfinished, target)
      this.#ledger.add(content, place.name, path, this.round)
    } finally {
      if (existsSync(unfinished)) unlinkSync(unfinished)
    }
    return true
  }

  /** What had the name is exchanged atomically and then read, so that the ledger has exactly what was replaced. */
  #takeName(place: Place, from: string, target: string): void {
    for (;;) {
      if (isFile(target) && posix()?.exchangeSync(from, target) === true) {
        this.#ledger.replace(readFileSync(from))
        return
      }
      if (existsSync(target)) this.#takeAway(place, target)
      try {
        return linkSync(from, target)
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
    }
  }

  /** Deletes a file after reading exactly what is deleted. */
  #takeAway(place: Place, target: string): void {
    const aside = join(place.root, ASIDE, `away-${++this.#number}`)
    renameSync(target, aside)
    this.#ledger.replace(readFileSync(aside))
    unlinkSync(aside)
  }

  #editInPlace(place: Place): boolean {
    return this.#withOpenFile(place, IN_PLACE_BYTES_MAX, (file, old, path) => {
      const content = this.#newContent(1 + this.#chance.below(IN_PLACE_BYTES_MAX))
      const withOldEnd = Buffer.concat([content, old.subarray(content.length)])
      for (const state of [withOldEnd, content]) this.#ledger.add(state, place.name, path, this.round, false)
      if (writeSync(file, content, 0, content.length, 0) !== content.length) throw new Error('cut short')
      this.#ledger.replace(old)
      ftruncateSync(file, content.length)
      return content
    })
  }

  #append(place: Place): boolean {
    return this.#withOpenFile(place, IN_PLACE_BYTES_MAX / 2, (file, old, path) => {
      const more = this.#newContent(100)
      const content = Buffer.concat([old, more])
      this.#ledger.add(content, place.name, path, this.round, false)
      if (writeSync(file, more, 0, more.length, old.length) !== more.length) throw new Error('cut short')
      this.#ledger.replace(old)
      return content
    })
  }

  /** The new content counts only if the open file still has the name: else another program has replaced it before. */
  #withOpenFile(
    place: Place,
    sizeBytesMax: number,
    change: (file: number, old: Buffer, path: string) => Buffer,
  ): boolean {
    const path = this.#anyFile(place)
    if (path === undefined) return false
    const target = join(place.root, path)
    const file = openSync(target, 'r+')
    try {
      const { size } = fstatSync(file)
      if (size > sizeBytesMax) return false
      const old = Buffer.alloc(size)
      readSync(file, old, 0, size, 0)
      const content = change(file, old, path)
      const now = lstatSync(target, { throwIfNoEntry: false })
      if (now?.ino === fstatSync(file).ino) this.#ledger.add(content, place.name, path, this.round)
      return true
    } finally {
      closeSync(file)
    }
  }

  #delete(place: Place): boolean {
    const path = this.#anyFile(place)
    if (path === undefined) return false
    this.#takeAway(place, join(place.root, path))
    return true
  }

  #rename(place: Place): boolean {
    const path = this.#anyFile(place)
    if (path === undefined) return false
    const to = join(place.root, dirname(path), `${this.#chance.pick(NAMES)} moved`)
    if (existsSync(to)) return false
    return posix()?.renameNewSync(join(place.root, path), to) ?? false
  }

  #removeDirectory(place: Place): boolean {
    const directory = this.#chance.pick(DIRECTORIES.slice(1))
    if (!existsSync(join(place.root, directory))) return false
    for (const name of readdirSync(join(place.root, directory))) {
      if (isFile(join(place.root, directory, name))) this.#takeAway(place, join(place.root, directory, name))
    }
    rmdirSync(join(place.root, directory))
    return true
  }

  #resolveConflicts(place: Place): boolean {
    const copies = filesIn(place.root).filter((path) => CONFLICT.test(path))
    if (copies.length < 10) return false
    for (const path of copies) this.#takeAway(place, join(place.root, path))
    return true
  }

  #anyFile(place: Place): string | undefined {
    const files = filesIn(place.root).filter((path) => !CONFLICT.test(path) && !/(^|\/)\.syncthing\./.test(path))
    return files.length === 0 ? undefined : this.#chance.pick(files)
  }
}

/** The repository belongs to git alone. */
function filesIn(root: string, below = ''): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    if (entry.isDirectory()) return below === '' && /^(\.st|repository)/.test(entry.name) ? [] : filesIn(root, path)
    return entry.isFile() && !path.startsWith('.st') ? [path] : []
  })
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'error'
}
