import { announcedOf, deletionOf, ignoredOf, type RecordOptions } from '../core/records/change.ts'
import {
  FLAG_IGNORED,
  FLAG_RECEIVE_ONLY,
  FLAG_UNSUPPORTED,
  type FileHead,
  type FileInfo,
} from '../core/records/file-info.ts'
import type { IgnoreRules } from '../core/ignore/ignore.ts'
import { ancestorsOf } from '../core/paths.ts'
import type { PresenceCheck } from './presence.ts'
import type { ScanGuard } from './types.ts'

export interface AbsenceDeps {
  readonly ignore: IgnoreRules
  readonly presence: PresenceCheck
  recordOptions(): RecordOptions
  add(record: FileInfo): void
  /** The winning record among all devices. */
  global(name: string): Promise<FileHead | undefined>
  /** Stores the added records if they fill a batch. */
  settle(): Promise<void>
  /** Directories at which a file system was mounted and is not any more. */
  unmounted(): Promise<readonly string[]>
  onProblem(path: string, error: string): void
  /** Undefined where deletions are recorded as they are found. */
  readonly guard?: Pick<ScanGuard, 'examine'> | undefined
  /** Our record of a name. */
  head(name: string): Promise<FileHead | undefined>
}

const UNMOUNTED =
  'scan: the file system here is not mounted any more; remove the directory if its items are to be deleted'

/** Deletions are deferred until the walk has ended, so that a moved file is found at its new path first. */
const WAITING_MAX = 16_384
/** Afterwards nothing is gained by waiting, and long-lived records make the heap grow. */
const WAITING_MAX_AT_END = 1_000
const CHECKS_AT_ONCE = 32
/** With a guard all of them wait for the end of the scan, by name. More are left to the next scan. */
const GUARDED_MAX = 1_000_000

/** Records whose items the walk did not find: newly ignored, deleted or unreadable. */
export class Absences {
  readonly #deps: AbsenceDeps
  readonly #unknown = new Set<string>()
  readonly #deleted = new Set<string>()
  #waiting: FileHead[] = []
  #guarded: string[] = []
  #mountsChecked: Promise<void> | undefined

  constructor(deps: AbsenceDeps) {
    this.#deps = deps
  }

  /** Nothing at or below this path is recorded as deleted. */
  setUnknown(path: string): void {
    this.#unknown.add(path)
  }

  note(record: FileHead): void {
    if (this.#isUnknown(record.name)) return
    const wasIgnored = (record.localFlags & FLAG_IGNORED) !== 0
    if (this.#deps.ignore.match(record.name).ignored) {
      if (!wasIgnored) this.#deps.add(ignoredOf(record, this.#deps.recordOptions()))
    } else if (wasIgnored || isOpen(record)) {
      if (this.#deps.guard === undefined) this.#waiting.push(record)
      else if (this.#guarded.length < GUARDED_MAX) this.#guarded.push(record.name)
    }
  }

  get isFull(): boolean {
    return this.#waiting.length >= WAITING_MAX
  }

  /** Whether enough items wait to be settled at the end of a walk, when all files were found. */
  get isWorthSettling(): boolean {
    return this.#waiting.length >= WAITING_MAX_AT_END
  }

  /** The deletion of a renamed file, to be announced together with its new name. At most once per item. */
  async claimIfGone(record: FileHead): Promise<FileInfo | undefined> {
    await this.#checkMounts()
    if (this.#deleted.has(record.name) || this.#isUnknown(record.name)) return undefined
    if (this.#deps.ignore.match(record.name).ignored) return undefined
    if ((await this.#deps.presence.check(record.name)).is !== 'gone' || this.#deleted.has(record.name)) return undefined
    this.#deleted.add(record.name)
    return deletionOf(record, this.#deps.recordOptions())
  }

  /** Whether an item without a record is gone, as far as that is known. */
  async isGone(name: string): Promise<boolean> {
    await this.#checkMounts()
    return !this.#isUnknown(name) && (await this.#deps.presence.check(name)).is === 'gone'
  }

  /** Records the pending items that are gone as deleted. */
  async settle(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length > 0) await this.#checkMounts()
    for (let at = 0; at < waiting.length; at += CHECKS_AT_ONCE) {
      await Promise.all(waiting.slice(at, at + CHECKS_AT_ONCE).map((record) => this.#decide(record)))
      await this.#deps.settle()
    }
  }

  /** Shows the guard what is gone, when all files were found. */
  async examineGuarded(): Promise<void> {
    const { guard } = this.#deps
    if (guard === undefined || this.#guarded.length === 0) return
    await this.#checkMounts()
    const gone: string[] = []
    await this.#inSteps(this.#guarded, async (name) => {
      const record = await this.#goneRecord(name)
      if (record === undefined) return
      gone.push(name)
      guard.examine(record, 'deleted')
    })
    this.#guarded = gone
  }

  /** Records what is gone, apart from what the guard holds. */
  async settleGuarded(held: ReadonlySet<string>): Promise<void> {
    const names = this.#guarded.filter((name) => !held.has(name))
    this.#guarded = []
    await this.#inSteps(names, async (name) => {
      const record = await this.#goneRecord(name)
      if (record !== undefined) this.#deps.add(await this.#deletionOf(record))
    })
  }

  async #inSteps(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
    for (let at = 0; at < names.length; at += CHECKS_AT_ONCE) {
      await Promise.all(names.slice(at, at + CHECKS_AT_ONCE).map(work))
      await this.#deps.settle()
    }
  }

  /** The record of an item that is gone now. */
  async #goneRecord(name: string): Promise<FileHead | undefined> {
    if (this.#deleted.has(name) || this.#isUnknown(name)) return undefined
    const record = await this.#deps.head(name)
    if (record === undefined) return undefined
    const presence = await this.#deps.presence.check(name)
    if (presence.is === 'unknown') this.#deps.onProblem(name, `scan: ${presence.reason}`)
    return presence.is === 'gone' ? record : undefined
  }

  async #decide(record: FileHead): Promise<void> {
    if (this.#deleted.has(record.name) || this.#isUnknown(record.name)) return
    if (isOwnDeletion(record)) return this.#reconsider(record)
    const presence = await this.#deps.presence.check(record.name)
    if (presence.is === 'unknown') this.#deps.onProblem(record.name, `scan: ${presence.reason}`)
    if (presence.is === 'gone') this.#deps.add(await this.#deletionOf(record))
  }

  /** The deletion of a local change that no other device has is no local change any more. */
  async #deletionOf(record: FileHead): Promise<FileInfo> {
    const deletion = deletionOf(record, this.#deps.recordOptions())
    if (!isOwnDeletion(deletion) || (record.localFlags & FLAG_RECEIVE_ONLY) === 0) return deletion
    const global = await this.#deps.global(record.name)
    return isOwnChange(global) ? announcedOf(deletion) : deletion
  }

  /**
   * A receive-only deletion loses its version once no other device has the item, and is announced once it equals the
   * global state. The record stays: a device that got an older one would request the item for ever.
   */
  async #reconsider(record: FileHead): Promise<void> {
    const global = await this.#deps.global(record.name)
    if (global === undefined) return
    const staysHere = (this.#deps.recordOptions().localFlags & FLAG_RECEIVE_ONLY) !== 0
    if (isOwnChange(global)) this.#deps.add({ ...announcedOf(record), version: [] })
    else if (global.deleted || !staysHere) this.#deps.add(announcedOf(record))
  }

  /** Once per scan, and only if something is missing. */
  async #checkMounts(): Promise<void> {
    this.#mountsChecked ??= this.#findUnmounted()
    await this.#mountsChecked
  }

  async #findUnmounted(): Promise<void> {
    for (const path of await this.#deps.unmounted()) {
      this.#unknown.add(path)
      this.#deps.onProblem(path, UNMOUNTED)
    }
  }

  #isUnknown(name: string): boolean {
    if (this.#unknown.size === 0) return false
    return this.#unknown.has(name) || ancestorsOf(name).some((ancestor) => this.#unknown.has(ancestor))
  }
}

/** Whether the absence of the item is a change. */
function isOpen(record: FileHead): boolean {
  return record.deleted ? isOwnDeletion(record) : (record.localFlags & FLAG_UNSUPPORTED) === 0
}

/** Whether no other device has the item: then the winning record is our change in a receive-only folder. */
function isOwnChange(global: FileHead | undefined): boolean {
  return global !== undefined && (global.localFlags & FLAG_RECEIVE_ONLY) !== 0
}

/** A deletion in a receive-only folder that was not announced. */
function isOwnDeletion(record: FileHead): boolean {
  return record.deleted && (record.localFlags & FLAG_RECEIVE_ONLY) !== 0 && (record.localFlags & FLAG_IGNORED) === 0
}
