import { systemCode } from '../../core/errors.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import {
  ancestorsOf,
  baseOf,
  compareNames,
  isInternal,
  isNormal,
  isTemporary,
  looksTemporary,
  joinPath,
  parentOf,
  parseAside,
} from '../../core/paths.ts'
import { diskReason } from './disk-reason.ts'
import type { DiskStat, SyncDisk } from '../disk.ts'
import type { WalkRequest } from '../walk.ts'

/** Receives the results of a walk, in order. */
export interface WalkSink {
  item(name: string, stat: DiskStat, symlinkTarget: string): void
  problem(path: string, message: string): void
  unnormalized(path: string): void
  aside(path: string): void
}

/** A directory being walked. */
interface Frame {
  readonly directory: string
  readonly names: readonly string[]
  at: number
  /** Directories found but not entered yet: their contents sort after siblings such as `a-b` and `a.txt`. */
  readonly waiting: string[]
}

const STEPS_PER_YIELD = 64
const SLASH = 47
const SURROGATE = /[\ud800-\udfff]/

/**
 * Walks by the ignore patterns and reports everything to the sink in byte order of the whole path. Yields regularly, so
 * that the caller can forward results or stop. Throws only when the root cannot be listed.
 */
export function* walkTree(
  disk: SyncDisk,
  request: WalkRequest,
  sink: WalkSink,
  rules = new IgnoreRules(request.ignoreLines ?? []),
): Generator<void, void, void> {
  const walk = new TreeWalk(disk, request, sink, rules)
  if (request.subs.includes('')) yield* walk.below(walk.rootFrame())
  else yield* walk.subs(request.subs)
}

class TreeWalk {
  readonly #disk: SyncDisk
  readonly #request: WalkRequest
  readonly #sink: WalkSink
  readonly #rules: IgnoreRules
  #steps = 0

  constructor(disk: SyncDisk, request: WalkRequest, sink: WalkSink, rules: IgnoreRules) {
    this.#disk = disk
    this.#request = request
    this.#sink = sink
    this.#rules = rules
  }

  rootFrame(): Frame {
    return frame('', this.#valid('', this.#disk.list(this.#request.root)))
  }

  /** The given names and all that is below them. Frames on a list: trees can be deeper than stacks. */
  *below(start: Frame): Generator<void, void, void> {
    const frames = [start]
    for (let top = frames.at(-1); top !== undefined; top = frames.at(-1)) {
      const name = top.names[top.at]
      const waiting = top.waiting.at(-1)
      if (waiting !== undefined && (name === undefined || contentsComeBefore(waiting, name))) {
        top.waiting.pop()
        const directory = pathIn(top.directory, waiting)
        frames.push(frame(directory, this.#namesIn(directory)))
      } else if (name === undefined) {
        frames.pop()
      } else {
        top.at++
        const ignored = this.#visit(top, name)
        if (ignored !== undefined && (yield* this.#anySynced([ignored.path]))) this.#enter(top, name, ignored.stat)
        if (++this.#steps % STEPS_PER_YIELD === 0) yield
      }
    }
  }

  /** Subs with the directories above them, each in its place in the order. */
  *subs(subs: readonly string[]): Generator<void, void, void> {
    const requested = new Set(subs)
    const parents = new Set(subs.flatMap((sub) => ancestorsOf(sub).slice(1)))
    const closed = new Set<string>()
    for (const name of [...requested.union(parents)].sort(compareNames)) {
      if (closed.has(parentOf(name)) || !this.#hasThisCase(name)) closed.add(name)
      else if (requested.has(name)) yield* this.below(frame(parentOf(name), [baseOf(name)]))
      else if (!(yield* this.#parent(name, subs))) closed.add(name)
    }
  }

  /** Reports a directory above a sub. False when nothing below it can be read. */
  *#parent(name: string, subs: readonly string[]): Generator<void, boolean, void> {
    if (isInternal(name) || isOtherSpelling(baseOf(name))) return false
    const { ignored, maySkip } = this.#rules.match(name)
    if (ignored && maySkip) return false
    const stat = this.#lstat(name)
    if (stat?.type !== 'directory') return false
    if (isTemporary(name)) return true
    if (!ignored || (yield* this.#anySynced(subs.filter((sub) => ancestorsOf(sub).includes(name))))) {
      this.#sink.item(name, stat, '')
    }
    return true
  }

  /** Returns an ignored directory that may contain synchronized items: then it is reported nevertheless. */
  #visit(top: Frame, name: string): { readonly path: string; readonly stat: DiskStat } | undefined {
    const path = pathIn(top.directory, name)
    if (isTemporary(name)) {
      if (this.#passTemporary(path)) top.waiting.push(name)
      return undefined
    }
    if (looksTemporary(name) || (top.directory === '' && isInternal(name))) return undefined
    const normal = isNormal(name)
    const { ignored, maySkip } = this.#rules.match(normal ? path : path.normalize('NFC'))
    if (ignored && (maySkip || !normal)) return undefined
    const stat = this.#lstat(path)
    if (stat === undefined || stat.type === 'other') return undefined
    if (ignored) return stat.type === 'directory' ? { path, stat } : undefined
    if (normal) this.#enter(top, name, stat)
    else this.#sink.unnormalized(path)
    return undefined
  }

  #enter(top: Frame, name: string, stat: DiskStat): void {
    this.#report(pathIn(top.directory, name), stat)
    if (stat.type === 'directory') top.waiting.push(name)
  }

  #report(path: string, stat: DiskStat): void {
    if (stat.type !== 'symlink') return this.#sink.item(path, stat, '')
    try {
      this.#sink.item(path, stat, this.#disk.readSymlink(joinPath(this.#request.root, path)))
    } catch (error) {
      this.#trouble(path, error)
    }
  }

  /** Whether any item at or below these paths is synchronized although its directory is ignored. */
  *#anySynced(paths: readonly string[]): Generator<void, boolean, void> {
    const waiting = [...paths]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (++this.#steps % STEPS_PER_YIELD === 0) yield
      const { ignored, maySkip } = isTemporary(path) ? IGNORED : this.#rules.match(path.normalize('NFC'))
      if (isInternal(path) || isOtherSpelling(baseOf(path)) || (ignored && maySkip)) continue
      const type = this.#lstat(path)?.type
      if (!ignored && type !== undefined && type !== 'other') return true
      if (type === 'directory') for (const name of this.#namesIn(path)) waiting.push(pathIn(path, name))
    }
    return false
  }

  /**
   * Removes an old temporary file, and one that a crash left as the second name of the finished file; reports an item
   * that was moved aside. True for a directory of such a name: it is not reported, but entered.
   */
  #passTemporary(path: string): boolean {
    const stat = this.#lstat(path)
    if (stat !== undefined && stat.type !== 'directory' && parseAside(path) !== undefined) {
      this.#sink.aside(path)
      return false
    }
    const before = this.#request.removeTemporariesBeforeS
    const isOurs = stat?.type === 'file' || stat?.type === 'symlink'
    const isKept = before === undefined || this.#request.keptTemporaries?.includes(path) === true
    if (isOurs && !isKept && (stat.modifiedS < before || (stat.nameCount ?? 1) > 1)) {
      try {
        this.#disk.removeFile(this.#request.root, path)
      } catch {
        // The next scan retries.
      }
    }
    return stat?.type === 'directory'
  }

  /** Undefined for missing items, and for unreadable ones, which are reported as an error. */
  #lstat(path: string): DiskStat | undefined {
    try {
      return this.#disk.lstat(joinPath(this.#request.root, path))
    } catch (error) {
      this.#trouble(path, error)
      return undefined
    }
  }

  #namesIn(directory: string): readonly string[] {
    try {
      return this.#valid(directory, this.#disk.list(joinPath(this.#request.root, directory)))
    } catch (error) {
      this.#trouble(directory, error)
      return []
    }
  }

  #valid(directory: string, entries: ReturnType<SyncDisk['list']>): readonly string[] {
    const names: string[] = []
    for (const { name, valid } of entries) {
      if (valid) names.push(name)
      else this.#sink.problem(pathIn(directory, name), 'scan: item is not in UTF8 encoding')
    }
    return sortNames(names)
  }

  #hasThisCase(name: string): boolean {
    return this.#request.caseInsensitive !== true || this.#namesIn(parentOf(name)).includes(baseOf(name))
  }

  #trouble(path: string, error: unknown): void {
    const code = systemCode(error)
    if (code === undefined) throw error
    if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#sink.problem(path, `scan: ${diskReason(error)}`)
  }
}

const IGNORED = { ignored: true, maySkip: false } as const

function frame(directory: string, names: readonly string[]): Frame {
  return { directory, names, at: 0, waiting: [] }
}

function pathIn(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

/** Byte order. The faster default order is the same as long as no character needs two UTF-16 units. */
function sortNames(names: string[]): string[] {
  return names.some((name) => SURROGATE.test(name)) ? names.sort(compareNames) : names.sort()
}

/** Whether `directory/…` sorts before `name`, a later sibling: only a name like `directory-x` sorts in between. */
function contentsComeBefore(directory: string, name: string): boolean {
  return !(name.charCodeAt(directory.length) < SLASH && name.startsWith(directory))
}

/** Another spelling of a temporary name: not ours, so it is neither removed nor entered, and never reported. */
function isOtherSpelling(base: string): boolean {
  return looksTemporary(base) && !isTemporary(base)
}
