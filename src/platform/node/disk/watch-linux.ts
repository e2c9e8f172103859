import { lstatSync, watch, type FSWatcher } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { systemCode } from '../../../core/errors.ts'
import type { IgnoreRules } from '../../../core/ignore/ignore.ts'
import { isAtOrBelow, isInternal, isNormal, isTemporary, joinPath } from '../../../core/paths.ts'
import { REPLACEMENT } from '../../files/disk-name.ts'
import type { WatchEvent } from '../../watch.ts'
import { explainWatchError, isWatchLimit } from './watch-limits.ts'
import type { QueueGauge } from './watch-queue.ts'

/** Names waiting to be looked at. Beyond this the disk moves faster than we look: a scan catches up. */
const WAITING_MAX = 50_000
const LOOKS_AT_ONCE = 16

/**
 * One watch per directory, ignored trees left out: events name the directory they happened in, and nothing is lost
 * when directories are made or moved.
 */
export async function watchDirectories(
  root: string,
  rules: IgnoreRules,
  gauge: QueueGauge,
  listener: WatchListener,
): Promise<AsyncDisposable> {
  const tree = new WatchedTree(await realpath(root), rules, gauge, listener)
  const full = gauge.onFull(() => listener.onEvent({ kind: 'overflow' }))
  const close = (): void => {
    full[Symbol.dispose]()
    tree.close()
  }
  try {
    await tree.open()
  } catch (error) {
    close()
    throw explainWatchError(error, tree.needed)
  }
  return { [Symbol.asyncDispose]: async () => close() }
}

export interface WatchListener {
  onEvent(event: WatchEvent): void
  onFailure(error: Error): void
}

interface Watch {
  readonly watcher: FSWatcher
  /** Which directory it is, whatever its path leads to by now. */
  readonly inode: bigint
}

class WatchedTree {
  readonly #root: string
  readonly #rules: IgnoreRules
  readonly #gauge: QueueGauge
  readonly #listener: WatchListener
  readonly #watches = new Map<string, Watch>()
  /** Names that something happened to, to be looked at: a Set, because ten events of one name need one look. */
  readonly #waiting = new Set<string>()
  #opening = true
  /** The system allows no more watches, for this reason. */
  #refusal: { readonly reason: unknown } | undefined
  #looking = 0
  #closed = false
  /** Directories that must be watched, as far as they are known. */
  needed = 0

  constructor(root: string, rules: IgnoreRules, gauge: QueueGauge, listener: WatchListener) {
    this.#root = root
    this.#rules = rules
    this.#gauge = gauge
    this.#listener = listener
  }

  /** At a limit of the system it goes on to count: whoever raises the limit wants to know how far. */
  async open(): Promise<void> {
    await this.#addTree('', false)
    this.#opening = false
    if (this.#refusal !== undefined) throw this.#refusal.reason
  }

  close(): void {
    this.#closed = true
    this.#closeWatches()
    this.#waiting.clear()
  }

  #closeWatches(): void {
    for (const { watcher } of this.#watches.values()) watcher.close()
    this.#watches.clear()
  }

  /**
   * Watches a directory first and lists it then: what is made in between is seen twice rather than never. `isNew`
   * directories are reported with all they hold, because their contents came before the watch.
   */
  async #addTree(start: string, isNew: boolean): Promise<void> {
    const directories = [start]
    for (let directory = directories.pop(); directory !== undefined && !this.#closed; directory = directories.pop()) {
      this.needed++
      if (!this.#watch(directory)) continue
      for (const name of await this.#subdirectories(directory, isNew)) directories.push(name)
    }
  }

  /** False when the directory is not there any more. */
  #watch(directory: string): boolean {
    if (this.#refusal !== undefined) return true
    if (this.#watches.has(directory)) this.#drop(directory)
    try {
      const path = joinPath(this.#root, directory)
      // Before the watch: swapped in between, the two do not fit and the next event of the directory puts it right.
      const stats = lstatSync(path, { bigint: true })
      if (!stats.isDirectory()) return false
      const watcher = watch(path, { persistent: false }, (_, name) => this.#heard(directory, name))
      watcher.on('error', (error) => this.#failed(error))
      this.#watches.set(directory, { watcher, inode: stats.ino })
      return true
    } catch (error) {
      const code = systemCode(error)
      if (this.#opening && isWatchLimit(error)) {
        this.#refusal = { reason: error }
        this.#closeWatches() // others may need them
        return true
      }
      // What may not be read is not watched either; the scan says so.
      if (directory !== '' && (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')) return false
      throw error
    }
  }

  async #subdirectories(directory: string, isNew: boolean): Promise<string[]> {
    try {
      const entries = await readdir(joinPath(this.#root, directory), { withFileTypes: true })
      const found: string[] = []
      for (const entry of entries) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`
        if (entry.name.includes(REPLACEMENT) || isInternal(path)) continue
        if (isNew && !this.#isIgnored(path) && !isTemporary(path)) this.#listener.onEvent({ kind: 'changed', path })
        if (entry.isDirectory() && !this.#maySkip(path)) found.push(path)
      }
      return found
    } catch (error) {
      if (systemCode(error) === undefined || directory === '') throw error
      return [] // gone again, or not ours to read: the scan says so
    }
  }

  #heard(directory: string, name: string | null): void {
    this.#gauge.heard()
    if (this.#closed) return
    if (name === null) return this.#listener.onEvent({ kind: 'overflow' })
    const path = directory === '' ? name : `${directory}/${name}`
    if (isInternal(path) || (this.#isIgnored(path) && this.#maySkip(path))) return
    if (this.#waiting.size >= WAITING_MAX) {
      this.#waiting.clear()
      return this.#listener.onEvent({ kind: 'overflow' })
    }
    this.#waiting.add(path)
    if (this.#looking < LOOKS_AT_ONCE) void this.#lookAround()
  }

  /** Looks at waiting names until there are none. Several of these run at once, each at another name. */
  async #lookAround(): Promise<void> {
    this.#looking++
    try {
      for (const path of this.#waiting) {
        this.#waiting.delete(path)
        await this.#look(path)
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#looking--
    }
  }

  async #look(path: string): Promise<void> {
    const found = await this.#find(path)
    if (this.#closed) return
    // A directory moved away and another put in its place: the watch went with the first.
    if (found.directory === undefined || this.#watches.get(path)?.inode !== found.directory) this.#dropTree(path)
    if (!this.#isIgnored(path) && !isTemporary(path)) {
      this.#listener.onEvent({ kind: found.exists ? 'changed' : 'removed', path })
    }
    if (found.directory === undefined || this.#watches.has(path) || this.#maySkip(path)) return
    await this.#addTree(path, true)
  }

  async #find(path: string): Promise<{ readonly exists: boolean; readonly directory: bigint | undefined }> {
    try {
      const stats = await lstat(joinPath(this.#root, path), { bigint: true })
      return { exists: true, directory: stats.isDirectory() ? stats.ino : undefined }
    } catch (error) {
      // Anything but "not there" is for a scan to explain.
      const gone = systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR'
      return { exists: !gone, directory: undefined }
    }
  }

  #dropTree(path: string): void {
    if (!this.#watches.has(path)) return
    for (const directory of this.#watches.keys()) {
      if (isAtOrBelow(directory, path)) this.#drop(directory)
    }
  }

  #drop(directory: string): void {
    this.#watches.get(directory)?.watcher.close()
    this.#watches.delete(directory)
    this.needed--
  }

  #failed(error: unknown): void {
    if (this.#closed) return
    const explained = explainWatchError(error, this.needed)
    this.close()
    this.#listener.onFailure(explained)
  }

  #isIgnored(path: string): boolean {
    return this.#rules.match(isNormal(path) ? path : path.normalize('NFC')).ignored
  }

  #maySkip(path: string): boolean {
    return this.#rules.match(isNormal(path) ? path : path.normalize('NFC')).maySkip
  }
}
