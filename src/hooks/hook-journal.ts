import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../core/errors.ts'
import type { HookMemory } from '../core/hooks/conditions.ts'
import { EMPTY_JOURNAL, withoutOthers, type HookJournal } from '../core/hooks/queue.ts'
import { Mutex } from '../sync/mutex.ts'
import type { HookFiles } from './hook-files.ts'

/** The journal in memory and on the disk. One change at a time; what matters is durable before the next. */
export class StoredJournal {
  readonly #files: HookFiles
  readonly #report: (problem: string) => void
  readonly #lock = new Mutex()
  #current: HookJournal = EMPTY_JOURNAL
  #isFailing = false

  constructor(files: HookFiles, report: (problem: string) => void) {
    this.#files = files
    this.#report = report
  }

  get current(): HookJournal {
    return this.#current
  }

  /** A journal that cannot be read starts anew: the hooks must continue. */
  async load(hookIds: ReadonlySet<string>): Promise<void> {
    try {
      this.#current = withoutOthers(await this.#files.readJournal(), hookIds)
    } catch (error) {
      this.#report(`the journal of hooks cannot be read and starts anew: ${messageOf(error)}`)
    }
  }

  /** A full disk does not stop the hooks: they continue with what is in memory. */
  async change(change: (journal: HookJournal) => HookJournal): Promise<void> {
    using _lock = await this.#lock.lock()
    const before = this.#current
    this.#current = change(before)
    if (before.queue !== this.#current.queue || isMemoryChanged(before, this.#current)) await this.#save()
  }

  async save(): Promise<void> {
    using _lock = await this.#lock.lock()
    if (this.#current !== EMPTY_JOURNAL) await this.#save()
  }

  async #save(): Promise<void> {
    try {
      await this.#files.writeJournal(this.#current)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#report(`the journal of hooks cannot be saved: ${messageOf(error)}`)
      this.#isFailing = true
    }
  }
}

/** How long a state has lasted, and calls that repeat by themselves, are saved with other changes. */
function isMemoryChanged({ memory: before }: HookJournal, { memory: after }: HookJournal): boolean {
  return !isDeepStrictEqual(lasting(before), lasting(after))
}

function lasting(memory: HookJournal['memory']): unknown {
  const subjects = (hook: HookMemory) =>
    Object.entries(hook)
      .filter(([subject]) => subject !== '*')
      .map(([subject, about]) => [subject, { ...about, lastedMs: 0 }])
  return Object.entries(memory).map(([id, hook]) => [id, subjects(hook)])
}
