import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { WHOLE_FOLDER, type ScanScope } from '../../core/paths.ts'
import { nameBeside } from '../../core/rewind/beside.ts'
import { NO_TOTALS, type RewindEntry } from '../../core/rewind/journal.ts'
import type { Moment } from '../../core/rewind/moment.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { TimeSlice } from '../../sync/time-slice.ts'
import type { RewindChunk, RewindOutcome, RewoundItem } from '../puller/rewind-items.ts'
import type { JournalFile } from '../state/journal-file.ts'
import { readMoment } from './read-moment.ts'
import type { RewindStatus } from './types.ts'

const CHUNK_ITEMS = 200
const RETRY_MS = 10_000
const PROBLEMS_MAX = 100
/** Before the scan with which a rewind begins. */
export const NOT_BEGUN = -1

/** What a rewind does with its folder. */
export interface RewoundFolders {
  scan(folder: FolderId, scope: ScanScope): Promise<void>
  rewindItems(folder: FolderId, chunk: RewindChunk): Promise<RewindOutcome>
}

export interface RewindRunDeps {
  readonly clock: Clock
  readonly journal: JournalFile<RewindEntry>
  readonly folders: RewoundFolders
  readonly log: Logger
  index(): Promise<FolderIndex>
  isConfigured(): boolean
}

/** One rewind. It can be interrupted at any moment and run again. */
export class RewindRun {
  readonly #deps: RewindRunDeps
  readonly #stop = new AbortController()
  #entry: RewindEntry
  #items = 0
  #handled = 0

  constructor(deps: RewindRunDeps, entry: RewindEntry) {
    this.#deps = deps
    this.#entry = entry
  }

  get entry(): RewindEntry {
    return this.#entry
  }

  get status(): RewindStatus {
    return { ...this.#entry, items: this.#items, handled: this.#handled }
  }

  /** Ends it after the items that are being rewound. */
  stop(): void {
    this.#stop.abort(new TwinfoldError('stopped', 'the rewind was stopped'))
  }

  /**
   * To be called before the folder is scanned after a restart. What this rewind has put before it was interrupted, and
   * not recorded, is not newer than it: another rewind may remove it.
   */
  async expect(signal: AbortSignal): Promise<void> {
    await this.#expect(await this.#deps.index(), signal)
  }

  /** Returns when it has ended, or the signal aborts: then it is continued later. */
  async run(outer: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([outer, this.#stop.signal])
    while (this.#entry.state === 'running') {
      try {
        await this.#attempt(signal)
        await this.#end('done', '')
      } catch (error) {
        if (this.#stop.signal.aborted) await this.#end('stopped', '')
        else if (outer.aborted) return
        else if (!this.#deps.isConfigured()) await this.#end('failed', 'the folder was removed')
        else if (isTemporary(error)) await this.#wait(error, signal)
        else await this.#end('failed', messageOf(error))
      }
    }
  }

  /** The folder is paused, its disk is not mounted, or the like. */
  async #wait(cause: unknown, signal: AbortSignal): Promise<void> {
    this.#entry = { ...this.#entry, error: messageOf(cause) }
    await this.#deps.clock.sleep(RETRY_MS, signal).catch(() => {}) // the next attempt finds out
  }

  async #end(state: RewindEntry['state'], error: string): Promise<void> {
    const { clock, journal, log } = this.#deps
    this.#entry = { ...this.#entry, state, error, endedMs: clock.nowMs() }
    await journal.put(this.#entry).catch((failure: unknown) => {
      // It is found to be done when it is continued at the next start.
      log.warn(`the journal of rewinds cannot be written: ${messageOf(failure)}`)
    })
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { folders } = this.#deps
    const { folder } = this.#entry
    const index = await this.#deps.index()
    await this.#scan(index, signal)
    await this.#begin(await index.exchange.sequence('local'))
    const { items, kept } = this.#order(await this.#moment(index, signal))
    this.#items = items.length
    this.#handled = 0
    this.#entry = { ...this.#entry, totals: { ...this.#entry.totals, left: kept, gone: 0, failed: 0 }, problems: [] }
    while (this.#handled < items.length) {
      signal.throwIfAborted()
      const { mode, startSequence } = this.#entry
      const chunk = { items: items.slice(this.#handled, this.#handled + CHUNK_ITEMS), mode, startSequence }
      await this.#add(await folders.rewindItems(folder, chunk))
    }
  }

  /** What was changed and not scanned yet must be known: it is newer, and would be replaced unseen. */
  async #scan(index: FolderIndex, signal: AbortSignal): Promise<void> {
    const { folder, path } = this.#entry
    await this.#expect(index, signal)
    try {
      await this.#deps.folders.scan(folder, path === '' ? WHOLE_FOLDER : [path])
    } finally {
      await index.history.expectRewound(new Map())
    }
  }

  async #expect(index: FolderIndex, signal: AbortSignal): Promise<void> {
    if (this.#entry.startSequence === NOT_BEGUN) return
    const { items } = this.#order(await this.#moment(index, signal))
    const put = items.flatMap(({ past, target }) => (past === undefined ? [] : [[target, past] as const]))
    await index.history.expectRewound(new Map(put))
  }

  #moment({ history }: Pick<FolderIndex, 'history'>, signal: AbortSignal): Promise<Moment> {
    const { momentMs, path } = this.#entry
    return readMoment(history, path, momentMs, new TimeSlice(this.#deps.clock, signal))
  }

  async #begin(sequence: number): Promise<void> {
    if (this.#entry.startSequence !== NOT_BEGUN) return
    this.#entry = { ...this.#entry, startSequence: sequence, totals: NO_TOTALS, error: '' }
    await this.#deps.journal.put(this.#entry)
  }

  /** Directories come before their contents, where items are put, and after them, where they may be removed. */
  #order(moment: Moment): { readonly items: readonly RewoundItem[]; readonly kept: number } {
    const { beside, mode, path } = this.#entry
    const put: RewoundItem[] = []
    const removed: RewoundItem[] = []
    let kept = 0
    for (const name of moment.names()) {
      const changed = moment.get(name)! // one of its own names
      const target = mode === 'beside' ? nameBeside(name, path, beside) : name
      const item = { ...changed, name, target }
      if (changed.past !== undefined) put.push(item)
      else if (changed.isOnlyRewound && mode === 'in-place') removed.push(item)
      else kept++
    }
    return { items: [...put, ...removed.reverse()], kept }
  }

  async #add({ handled, gone, failures, ...done }: RewindOutcome): Promise<void> {
    const { totals, problems } = this.#entry
    this.#handled += handled
    const added = [
      ...gone.map((path) => ({ path, reason: 'its content is neither here nor on a connected device' })),
      ...[...failures].map(([path, reason]) => ({ path, reason })),
    ]
    this.#entry = {
      ...this.#entry,
      error: '',
      totals: {
        rewound: totals.rewound + done.rewound,
        bytes: totals.bytes + done.bytes,
        removed: totals.removed + done.removed,
        left: totals.left + done.left,
        gone: totals.gone + gone.length,
        failed: totals.failed + failures.size,
      },
      problems: [...problems, ...added].slice(0, PROBLEMS_MAX),
    }
    await this.#deps.journal.put(this.#entry)
  }
}

const TEMPORARY: ReadonlySet<string> = new Set(['folder-paused', 'folder-not-running', 'folder-error', 'stopped'])

function isTemporary(error: unknown): boolean {
  return error instanceof TwinfoldError && TEMPORARY.has(error.code)
}
