import { systemCode, TwinfoldError } from '../../core/errors.ts'
import { ancestorsOf, joinPath, parentOf } from '../../core/paths.ts'
import type { Disk, DiskFile, HeldDirectory } from '../disk.ts'

const OWNER_WRITE = 0o200
const OWNER_ALL = 0o700
const PERMISSIONS_ALL = 0o777

interface Opened {
  users: number
  /** Resolves with the mode that the directory had; undefined when it was writable all the time. */
  readonly mode: Promise<number | undefined>
}

export interface ParentsDeps {
  readonly disk: Disk
  readonly root: string
  /** The mode of a directory that is made because it was missing; all that the system lets us give unless told. */
  modeOf?(directory: string): Promise<number>
  /** A directory was missing and has been made. */
  onMade(directory: string): void
}

/** The directories above the items of a tree: no item is ever touched through one that is not really there. */
export class Parents {
  readonly #deps: ParentsDeps
  readonly #opened = new Map<string, Opened>()
  /** Looks that are under way, by directory. */
  readonly #looks = new Map<string, Promise<string | undefined>>()
  #realRoot: Promise<string> | undefined

  constructor(deps: ParentsDeps) {
    this.#deps = deps
  }

  /** Rejects with `item-failed` unless every directory above `name` is one, and no symlink. */
  async check(name: string): Promise<void> {
    const missing = await this.#firstMissing(parentOf(name))
    if (missing !== undefined) throw itemFailed(`parent directory ${JSON.stringify(missing)} does not exist`)
  }

  /** The same for `name` as an open file of ours: where the system tells where that is, the disk need not be asked. */
  async checkOpen(name: string, file: Pick<DiskFile, 'realPath'>): Promise<void> {
    const actual = await file.realPath?.()
    if (actual === undefined || actual !== joinPath(await this.#rootItself(), name)) await this.check(name)
  }

  /** The directory above `name`, held open, so that nobody can swap it: everything above it is real. */
  async hold(name: string): Promise<HeldDirectory> {
    const expected = await this.realParentOf(name)
    const held = await this.#deps.disk.holdDirectory(expected).catch(async (error: unknown) => {
      await this.check(name) // says better what is wrong
      throw error
    })
    if (held.realPath === expected) return held
    await held[Symbol.asyncDispose]()
    await this.check(name)
    throw itemFailed('a directory above was swapped')
  }

  /** True when `name` can be reached: false where a directory above it is missing or is something else. */
  async isReachable(name: string): Promise<boolean> {
    try {
      return (await this.#firstMissing(parentOf(name))) === undefined
    } catch (error) {
      if (systemCode(error) === 'item-failed') return false
      throw error
    }
  }

  /**
   * The same, but directories that are missing are made. They were deleted elsewhere while something new was put into
   * them: a scan afterwards brings them back for everybody.
   */
  async ensure(name: string): Promise<void> {
    const parent = parentOf(name)
    // Many files of one directory begin at once: what one finds in order just now is in order for all of them.
    const look = this.#looks.get(parent)
    if (look !== undefined && (await look.catch(() => parent)) === undefined) return // whoever looked is told of trouble
    const missing = await this.#look(parent)
    if (missing === undefined) return
    for (const directory of [...ancestorsOf(parent), parent]) {
      if (directory.length < missing.length) continue
      const mode = (await this.#deps.modeOf?.(directory)) ?? PERMISSIONS_ALL
      const make = () => this.#deps.disk.makeDirectory(this.#path(directory), mode)
      await this.inside(directory, make).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error // somebody else needed it too
      })
      this.#deps.onMade(directory)
    }
    await this.check(name)
  }

  /** Does something to an entry of the directory above `name`, which is made writable meanwhile if it is not. */
  async inside<T>(name: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      const code = systemCode(error)
      if (code !== 'EACCES' && code !== 'EPERM') throw error
      const directory = parentOf(name)
      const opened = this.#open(directory)
      try {
        if ((await opened.mode) === undefined) throw error
        return await action()
      } finally {
        await this.#close(directory, opened)
      }
    }
  }

  #open(directory: string): Opened {
    const known = this.#opened.get(directory)
    if (known !== undefined) {
      known.users++
      return known
    }
    const opened = { users: 1, mode: this.#makeWritable(directory) }
    this.#opened.set(directory, opened)
    return opened
  }

  async #makeWritable(directory: string): Promise<number | undefined> {
    const path = this.#path(directory)
    const { mode, type } = await this.#deps.disk.lstat(path)
    if (type !== 'directory' || (mode & OWNER_WRITE) !== 0) return undefined
    await this.#deps.disk.chmod(path, mode | OWNER_ALL)
    return mode
  }

  /** The last one out puts back what the first one found. */
  async #close(directory: string, opened: Opened): Promise<void> {
    if (--opened.users > 0) return
    this.#opened.delete(directory)
    const mode = await opened.mode.catch(() => undefined) // then nothing was changed
    if (mode !== undefined) await this.#deps.disk.chmod(this.#path(directory), mode)
  }

  async #look(directory: string): Promise<string | undefined> {
    const look = this.#firstMissing(directory)
    this.#looks.set(directory, look)
    try {
      return await look
    } finally {
      if (this.#looks.get(directory) === look) this.#looks.delete(directory)
    }
  }

  /** Where the directory above `name` must be, by the path that it has without symlinks. */
  async realParentOf(name: string): Promise<string> {
    return joinPath(await this.#rootItself(), parentOf(name))
  }

  #rootItself(): Promise<string> {
    this.#realRoot ??= this.#deps.disk.realPath(this.#deps.root).catch((error: unknown) => {
      this.#realRoot = undefined // trouble passes
      throw error
    })
    return this.#realRoot
  }

  /** The topmost directory that is not there; undefined when all are. One call tells, in the usual case. */
  async #firstMissing(directory: string): Promise<string | undefined> {
    if (directory === '') return undefined
    const expected = joinPath(await this.#rootItself(), directory)
    const real = await this.#deps.disk.realPath(this.#path(directory)).catch(() => undefined) // the look below says what is wrong
    // Should it be a file, whatever is done below it fails by itself.
    return real === expected ? undefined : await this.#walkDown(directory)
  }

  async #walkDown(directory: string): Promise<string | undefined> {
    for (const ancestor of [...ancestorsOf(directory), directory]) {
      if (ancestor === '') continue
      try {
        const { type } = await this.#deps.disk.lstat(this.#path(ancestor))
        if (type === 'directory') continue
        throw itemFailed(type === 'symlink' ? `traverses symlink: ${ancestor}` : `not a directory: ${ancestor}`)
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return ancestor
        throw error
      }
    }
    return undefined
  }

  #path(name: string): string {
    return joinPath(this.#deps.root, name)
  }
}

function itemFailed(reason: string): TwinfoldError {
  return new TwinfoldError('item-failed', reason)
}
