import { lstatSync, watch, type FSWatcher } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { detach, systemCode } from '../../../core/errors.ts'
import type { IgnoreRules } from '../../../core/ignore/ignore.ts'
import { isAtOrBelow, isInternal, isNormal, isTemporary, joinPath, parentOf } from '../../../core/paths.ts'
import { REPLACEMENT } from '../../files/disk-name.ts'
import type { WatchEvent } from '../../watch.ts'
import { explainWatchError, isWatchLimit } from './watch-limits.ts'
import type { QueueGauge } from './watch-queue.ts'

/** Limit of names to be checked. Beyond it a scan is requested instead. */
const WAITING_MAX = 50_000
const CHECKS_MAX = 16

/**
 * One watch per directory, ignored trees left out: events name the directory they happened in, and nothing is lost
 * when directories are created or moved.
 */
export async function watchDirectories(
  root: string,
  rules: IgnoreRules,
  gauge: QueueGauge,
  listener: WatchListener,
): Promise<AsyncDisposable & { readonly watchCount: number }> {
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
  return {
    get watchCount() {
      return tree.watchCount
    },
    [Symbol.asyncDispose]: async () => close(),
  }
}

export interface WatchListener {
  onEvent(event: WatchEvent): void
  onFailure(error: Error): void
}

interface Watch {
  readonly watcher: FSWatcher
  /** Identifies the directory, independent of its path. */
  readonly inode: bigint
  readonly device: bigint
}

class WatchedTree {
  readonly #root: string
  readonly #rules: IgnoreRules
  readonly #gauge: QueueGauge
  readonly #listener: WatchListener
  readonly #watches = new Map<string, Watch>()
  /** Names with events, to be checked: a Set, because several events of one name need one check. */
  readonly #waiting = new Set<string>()
  #opening = true
  /** The reason why the system allows no more watches. */
  #refusal: { readonly reason: unknown } | undefined
  #checking = 0
  #closed = false
  /** Directories to be watched, as far as found. */
  needed = 0

  constructor(root: string, rules: IgnoreRules, gauge: QueueGauge, listener: WatchListener) {
    this.#root = root
    this.#rules = rules
    this.#gauge = gauge
    this.#listener = listener
  }

  /** Continues to count beyond a limit of the system, for the number in the error message. */
  async open(): Promise<void> {
    await this.#addTree('', false)
    this.#opening = false
    if (this.#refusal !== undefined) throw this.#refusal.reason
  }

  get watchCount(): number {
    return this.#watches.size
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
   * Watches a directory first and lists it then: an item created in between is reported twice rather than never.
   * `isNew` directories are reported with their contents, which may be older than the watch.
   */
  async #addTree(start: string, isNew: boolean): Promise<void> {
    const directories = [start]
    for (let directory = directories.pop(); directory !== undefined && !this.#closed; directory = directories.pop()) {
      this.needed++
      if (!this.#watch(directory)) continue
      for (const name of await this.#subdirectories(directory, isNew)) directories.push(name)
    }
  }

  /** False when the directory no longer exists. */
  #watch(directory: string): boolean {
    if (this.#refusal !== undefined) return true
    if (this.#watches.has(directory)) this.#drop(directory)
    try {
      const path = joinPath(this.#root, directory)
      // Before the watch: if replaced in between, the next event of the directory corrects the mismatch.
      const stats = lstatSync(path, { bigint: true })
      if (!stats.isDirectory()) return false
      const watcher = watch(path, { persistent: false }, (_, name) => this.#onEvent(directory, name))
      watcher.on('error', (error) => this.#failed(error))
      this.#watches.set(directory, { watcher, inode: stats.ino, device: stats.dev })
      return true
    } catch (error) {
      const code = systemCode(error)
      if (this.#opening && isWatchLimit(error)) {
        this.#refusal = { reason: error }
        this.#closeWatches() // other programs may need them
        return true
      }
      // Unreadable directories are not watched; the scan reports them.
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
      return [] // removed or unreadable: the scan reports it
    }
  }

  #onEvent(directory: string, name: string | null): void {
    this.#gauge.count()
    if (this.#closed) return
    if (name === null) return this.#listener.onEvent({ kind: 'overflow' })
    const path = directory === '' ? name : `${directory}/${name}`
    if (isInternal(path) || (this.#isIgnored(path) && this.#maySkip(path))) return
    if (this.#waiting.size >= WAITING_MAX) {
      this.#waiting.clear()
      return this.#listener.onEvent({ kind: 'overflow' })
    }
    this.#waiting.add(path)
    if (this.#checking < CHECKS_MAX) detach(this.#checkPending())
  }

  /** Checks pending names until there are none. Several of these run concurrently, each with another name. */
  async #checkPending(): Promise<void> {
    this.#checking++
    try {
      for (const path of this.#waiting) {
        this.#waiting.delete(path)
        await this.#check(path)
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#checking--
    }
  }

  async #check(path: string): Promise<void> {
    const found = await this.#find(path)
    if (this.#closed) return
    // The name is not UTF-8 and cannot be opened as text: a scan of its directory lists it.
    if (!found.exists && path.includes(REPLACEMENT)) return this.#listener.onEvent(changeOf(parentOf(path)))
    if (!found.exists && (await this.#isUnmounted(path))) return this.#listener.onEvent({ kind: 'unmounted' })
    // The directory was replaced by another one: the watch moved with the first.
    if (found.directory === undefined || this.#watches.get(path)?.inode !== found.directory) this.#dropTree(path)
    if (!this.#isIgnored(path) && !isTemporary(path)) {
      this.#listener.onEvent({ kind: found.exists ? 'changed' : 'removed', path })
    }
    if (found.directory === undefined || this.#watches.has(path) || this.#maySkip(path)) return
    await this.#addTree(path, true)
  }

  /**
   * A directory reports its own end under its own name, as if it contained an item of that name. Where it is still
   * there, its file system was unmounted, which has ended the watches in it.
   */
  async #isUnmounted(path: string): Promise<boolean> {
    const directory = parentOf(path)
    if (basename(joinPath(this.#root, directory)) !== basename(path) || !this.#mayBeMountPoint(directory)) return false
    return (await this.#find(directory)).directory !== undefined && !this.#closed
  }

  #mayBeMountPoint(directory: string): boolean {
    if (directory === '') return true // it may be a directory of an unmounted file system, too
    return this.#watches.get(directory)?.device !== this.#watches.get(parentOf(directory))?.device
  }

  async #find(path: string): Promise<{ readonly exists: boolean; readonly directory: bigint | undefined }> {
    try {
      const stats = await lstat(joinPath(this.#root, path), { bigint: true })
      return { exists: true, directory: stats.isDirectory() ? stats.ino : undefined }
    } catch (error) {
      // The scan reports other errors.
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

function changeOf(path: string): WatchEvent {
  return path === '' ? { kind: 'overflow' } : { kind: 'changed', path }
}
