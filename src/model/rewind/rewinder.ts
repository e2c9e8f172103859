import type { Config, FolderConfig } from '../../core/config/config.ts'
import { folderRoot } from '../../core/config/folder-root.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { NEVER } from '../../core/never.ts'
import { besideName } from '../../core/rewind/beside.ts'
import { NO_TOTALS, parseRewindJournal, rewindJournalText, type RewindEntry } from '../../core/rewind/journal.ts'
import type { Moment } from '../../core/rewind/moment.ts'
import type { FolderIndex, IndexStore } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Platform } from '../../platform/platform.ts'
import { TaskSet } from '../../sync/task-set.ts'
import { TimeSlice } from '../../sync/time-slice.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import { PastVersions } from '../../versioner/past-versions.ts'
import { PastSources } from '../puller/past-sources.ts'
import { JournalFile } from '../state/journal-file.ts'
import type { Sources } from '../state/sources.ts'
import { previewRewind } from './preview.ts'
import { readMoment } from './read-moment.ts'
import { NOT_BEGUN, RewindRun, type RewoundFolders } from './rewind-run.ts'
import type { RewindPreview, RewindRequest, RewindStatus, RewindView } from './types.ts'

export interface RewinderDeps {
  readonly platform: Pick<Platform, 'clock' | 'disk' | 'hasher'>
  readonly store: Pick<IndexStore, 'folder'>
  readonly config: { readonly current: Config }
  readonly folders: RewoundFolders
  readonly sources: Pick<Sources, 'sourcesOf'>
  readonly log: Logger
}

export interface RewinderOptions {
  readonly journalFile: string
  readonly userHome: string
}

/** Rewinds folders, also over restarts. A folder that is rewound runs on. */
export class Rewinder implements RewindView {
  readonly name = 'rewinder'
  readonly #deps: RewinderDeps
  readonly #options: RewinderOptions
  readonly #journal: JournalFile<RewindEntry>
  readonly #runs = new Map<FolderId, RewindRun>()
  /** Since the start; the journal has it too, unless it could not be written. */
  readonly #ended = new Map<FolderId, RewindStatus>()
  readonly #tasks = new TaskSet()
  #signal: AbortSignal | undefined

  constructor(deps: RewinderDeps, options: RewinderOptions) {
    this.#deps = deps
    this.#options = options
    const format = { parse: parseRewindJournal, text: rewindJournalText }
    this.#journal = new JournalFile(deps.platform.disk, options.journalFile, format)
  }

  async load(): Promise<void> {
    await this.#journal.load()
    for (const entry of this.#journal.all) {
      if (this.#configured(entry.folder) === undefined) await this.#journal.delete(entry.folder)
      else if (entry.state === 'running') {
        const run = this.#newRun(entry)
        this.#runs.set(entry.folder, run)
        await run.expect(NEVER).catch(() => {}) // an index that cannot be read ends the run
      }
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const run of this.#runs.values()) {
      this.#deps.log.info(`folder ${run.entry.folder}: its rewind to ${timeText(run.entry.momentMs)} continues`)
      this.#tasks.add(this.#execute(run, signal))
    }
    await new Wakeup().wait(signal).catch(() => {}) // until it aborts
    await this.#tasks.ended()
  }

  async preview(request: RewindRequest, signal: AbortSignal): Promise<RewindPreview> {
    const folder = this.#require(request)
    const { index, moment, beside } = await this.#look(request, signal)
    const { clock, disk, hasher } = this.#deps.platform
    const { userHome } = this.#options
    const versions = new PastVersions(disk, { folder, root: folderRoot(folder, userHome), userHome })
    const { sources: devices } = this.#deps
    const sources = new PastSources({ folder: folder.id, index, versions, hasher, sources: devices })
    const deps = { index, sources, moment, mode: request.mode, beside }
    return await previewRewind(deps, new TimeSlice(clock, signal), signal)
  }

  async start(request: RewindRequest, signal: AbortSignal): Promise<RewindStatus> {
    const { clock } = this.#deps.platform
    this.#require(request)
    const service = this.#signal
    if (service === undefined || service.aborted) throw new TwinfoldError('refused', 'the device is starting or ending')
    const { beside } = await this.#look(request, signal)
    const { folder, path, momentMs, mode } = request
    if (this.#runs.has(folder)) throw new TwinfoldError('refused', 'the folder is being rewound already')
    const entry: RewindEntry = {
      folder,
      path,
      momentMs,
      mode,
      beside,
      state: 'running',
      startedMs: clock.nowMs(),
      endedMs: 0,
      startSequence: NOT_BEGUN,
      totals: NO_TOTALS,
      error: '',
      problems: [],
    }
    const run = this.#newRun(entry)
    this.#runs.set(folder, run)
    try {
      await this.#journal.put(entry)
    } catch (error) {
      this.#runs.delete(folder)
      const reason = `the journal of rewinds cannot be written: ${messageOf(error)}`
      throw new TwinfoldError('refused', reason, { cause: error })
    }
    this.#tasks.add(this.#execute(run, service))
    return run.status
  }

  status(folder: FolderId): RewindStatus | undefined {
    this.#known(folder)
    const entry = this.#journal.get(folder)
    const known = this.#runs.get(folder)?.status ?? this.#ended.get(folder)
    return known ?? (entry && { ...entry, items: 0, handled: 0 })
  }

  async stop(folder: FolderId): Promise<void> {
    this.#known(folder)
    const run = this.#runs.get(folder)
    if (run === undefined) throw new TwinfoldError('refused', 'the folder is not being rewound')
    run.stop()
  }

  /** Rejects with `refused` where the moment cannot be reached. */
  async #look(
    { folder, path, momentMs, mode }: RewindRequest,
    signal: AbortSignal,
  ): Promise<{ readonly index: FolderIndex; readonly moment: Moment; readonly beside: string }> {
    const { clock } = this.#deps.platform
    if (momentMs > clock.nowMs()) throw new TwinfoldError('refused', 'the time of the rewind is in the future')
    const index = await this.#deps.store.folder(folder)
    const moment = await readMoment(index.history, path, momentMs, new TimeSlice(clock, signal))
    const item = moment.get(path)?.past ?? (await index.records.head('local', path))
    return { index, moment, beside: mode === 'beside' ? besideName(path, momentMs, item?.type === 'file') : '' }
  }

  async #execute(run: RewindRun, signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    const { folder } = run.entry
    try {
      await run.run(signal)
      const { error, momentMs, state, totals } = run.entry
      if (state === 'running') return // continued at the next start
      const what = `folder ${folder}: its rewind to ${timeText(momentMs)}`
      if (state === 'failed') log.error(`${what} failed: ${error}`)
      else
        log.info(`${what} is ${state}: ${totals.rewound} items rewound, ${totals.gone} gone, ${totals.failed} failed`)
    } catch (error) {
      log.error(`folder ${folder}: its rewind ended: ${messageOf(error)}`)
    } finally {
      if (run.entry.state !== 'running') {
        this.#ended.set(folder, run.status)
        this.#runs.delete(folder)
      }
    }
  }

  #newRun(entry: RewindEntry): RewindRun {
    const { folders, log, platform, store } = this.#deps
    const isConfigured = () => this.#configured(entry.folder) !== undefined
    const index = () => store.folder(entry.folder)
    return new RewindRun({ clock: platform.clock, journal: this.#journal, folders, log, index, isConfigured }, entry)
  }

  #require({ folder: id }: RewindRequest): FolderConfig {
    const folder = this.#known(id)
    if (folder.type === 'receiveencrypted') {
      throw new TwinfoldError('refused', 'an encrypted folder is rewound on a device that has its password')
    }
    if (folder.paused) throw new TwinfoldError('folder-paused', 'folder is paused')
    return folder
  }

  #known(id: FolderId): FolderConfig {
    const folder = this.#configured(id)
    if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
    return folder
  }

  #configured(id: FolderId): FolderConfig | undefined {
    return this.#deps.config.current.folders.find((folder) => folder.id === id)
  }
}

function timeText(momentMs: number): string {
  return new Date(momentMs).toISOString()
}
