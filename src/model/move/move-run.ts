import { dirname, join } from 'node:path'
import type { FolderConfig } from '../../core/config/config.ts'
import { messageOf, systemCode, TwinfoldError, type ErrorCode } from '../../core/errors.ts'
import {
  afterFailure,
  CANCELLED,
  isCancellable,
  isEnded,
  renameState,
  type MoveEntry,
  type MoveFailure,
  type MoveResult,
} from '../../core/move/journal.ts'
import { DEFAULT_MARKER_NAME } from '../../core/folder-stop.ts'
import { spaceProblem } from '../../core/move/target.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { DiskStat } from '../../platform/disk.ts'
import type { Platform } from '../../platform/platform.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import { copyRules, FileCopy, type FileCopyDeps } from './file-copy.ts'
import type { JournalFile } from '../state/journal-file.ts'
import { ignoreMissing, isThere, NotThere, Places } from './places.ts'
import { countTree } from './plan.ts'
import { isRecorded, TreeCopy, type TreeCopyDeps } from './tree-copy.ts'
import { TreeRemoval, type LeftItems, type RemovalDeps, type RemovalOptions } from './tree-removal.ts'
import type { MoveStatus } from './types.ts'

/** After so many passes a file changes all the time: the user has to end the program that does it. */
const PASSES_MAX = 6
const RETRY_MS = 30_000
/** Of a rename: the two places are not on one file system, or the directory is a mount point. */
const NO_RENAME: readonly string[] = ['EXDEV', 'EBUSY', 'ENOTSUP']

const REFUSALS: readonly ErrorCode[] = ['bad-request', 'config-invalid', 'refused']

export interface MoveRunDeps {
  readonly platform: Pick<Platform, 'attributes' | 'clock' | 'disk' | 'hasher'>
  readonly journal: JournalFile<MoveEntry>
  readonly log: Logger
  index(): Promise<FolderIndex>
  /** Sets the new path in the settings of the folder. Rejects if they were changed by somebody else. */
  switchPath(entry: MoveEntry): Promise<void>
  /** Whether the folder is configured still. Otherwise it has no marker and no index. */
  isConfigured(): boolean
}

/** One move, step by step. Each step begins when the journal has it, and can be repeated after an interruption. */
export class MoveRun {
  readonly #deps: MoveRunDeps
  readonly #folder: FolderConfig
  readonly #places: Places
  readonly #cancel = new AbortController()
  readonly #wake = new Wakeup()
  #entry: MoveEntry
  #waitsFor = ''
  #progress: { files: number; bytes: number; filesDone: number; bytesDone: number }

  constructor(deps: MoveRunDeps, entry: MoveEntry, folder: FolderConfig, totals: { files: number; bytes: number }) {
    this.#deps = deps
    this.#entry = entry
    this.#folder = folder
    this.#places = new Places(deps.platform.disk, { ...entry, markerName: folder.markerName })
    this.#progress = { ...totals, filesDone: 0, bytesDone: 0 }
  }

  get entry(): MoveEntry {
    return this.#entry
  }

  get status(): MoveStatus {
    return { ...statusOf(this.#entry), ...this.#progress, ...(this.#waitsFor !== '' && { error: this.#waitsFor }) }
  }

  /** Undoes the move, if the old place is the folder still. */
  cancel(): void {
    this.#cancel.abort(new TwinfoldError('stopped', CANCELLED))
    this.#wake.ring()
  }

  /** Returns when the move has ended, or after the signal, to be continued at the next start. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isEnded(this.#entry) && !signal.aborted) {
      try {
        await this.#step(signal)
        this.#waitsFor = ''
      } catch (error) {
        if (signal.aborted) return
        await this.#handle(error, signal)
      }
    }
  }

  async #step(signal: AbortSignal): Promise<void> {
    const cancellable = AbortSignal.any([signal, this.#cancel.signal])
    switch (this.#entry.state) {
      case 'prepared':
        return await this.#prepare(cancellable)
      case 'copying':
        return await this.#copy(cancellable)
      case 'verified':
        await this.#places.requireMarker('to')
        await this.#deps.switchPath(this.#entry).catch((error: unknown) => {
          throw isRefusal(error) ? error : new Unsaved(messageOf(error), { cause: error })
        })
        return await this.#advance({ state: 'switched' })
      case 'switched':
        await this.#places.requireMarker('to')
        await this.#places.removeClaim()
        return await this.#advance(this.#entry.method === 'copy' ? { state: 'removing' } : this.#ended('done'))
      case 'removing':
        return await this.#removeOld(signal)
      case 'undoing':
        return await this.#undo(signal)
    }
  }

  async #handle(reason: unknown, signal: AbortSignal): Promise<void> {
    const { log, platform } = this.#deps
    const { folder, state, to } = this.#entry
    const isCancelled = this.#cancel.signal.aborted && isCancellable(this.#entry)
    const isFinal = !this.#deps.isConfigured()
    const next = afterFailure(this.#entry, failureOf(reason, { isCancelled, isFinal }))
    if (next !== 'wait') {
      log.warn(`folder ${folder}: moving it to ${to} was stopped while ${state}: ${messageOf(reason)}`)
      const written = await this.#advance(next).then(
        () => true,
        () => false, // a full disk, perhaps: the step is repeated
      )
      if (written) return
    }
    if (this.#waitsFor === '') log.warn(`folder ${folder}: the move to ${to} waits: ${messageOf(reason)}`)
    this.#waitsFor = messageOf(reason)
    await this.#wake.waitAtMost(platform.clock, RETRY_MS, signal).catch(() => {}) // an abort ends the loop
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { disk } = this.#deps.platform
    const { from, method, to } = this.#entry
    const state = renameState(await this.#places.isMarked('from'), await this.#places.isMarked('to'))
    if (state === 'done') return await this.#advance({ state: 'verified' })
    if (state === 'unclear') throw new NotThere(`neither ${from} nor ${to} has the folder marker, or both have`)
    if (method === 'rename') {
      const isRenamed = await this.#rename(from, to)
      return await this.#advance(isRenamed ? { state: 'verified' } : { method: 'copy' })
    }
    await this.#checkSpace(signal)
    if (!(await this.#places.isClaimed())) await this.#places.claim()
    await disk.syncDirectory(dirname(to))
    await this.#advance({ state: 'copying', since: await this.#places.changeTime() })
  }

  /** False where it takes a copy. */
  async #rename(from: string, to: string): Promise<boolean> {
    const { disk } = this.#deps.platform
    try {
      await disk.removeDirectory(to).catch(ignoreMissing) // checked to be empty; this fails otherwise
      await disk.renameNew(from, to)
    } catch (error) {
      if (!NO_RENAME.includes(systemCode(error) ?? '')) throw error
      if (!this.#entry.madeRoot && !(await isThere(disk, to))) await disk.makeDirectory(to, 0o777)
      return false
    }
    for (const directory of new Set([dirname(from), dirname(to)])) await disk.syncDirectory(directory)
    return true
  }

  /** A rename that was not possible had no need of space. */
  async #checkSpace(signal: AbortSignal): Promise<void> {
    const { disk } = this.#deps.platform
    const { from, to } = this.#entry
    const totals = await countTree(disk, from, signal)
    const place = (await isThere(disk, to)) ? to : dirname(to)
    const space = await disk.space(place).catch(() => undefined)
    const problem = spaceProblem(to, totals.spaceBytes, space?.freeBytes)
    if (problem !== undefined) throw new TwinfoldError('disk-full', problem.text)
    this.#progress = { ...this.#progress, files: totals.files, bytes: totals.bytes }
  }

  async #copy(signal: AbortSignal): Promise<void> {
    const { from, since, to } = this.#entry
    await this.#requireBoth()
    const { files, bytes } = await countTree(this.#deps.platform.disk, from, signal)
    this.#progress = { files, bytes, filesDone: 0, bytesDone: 0 }
    const copy = new TreeCopy(await this.#copyDeps(signal), { folder: this.#folder, from, to, since })
    for (let pass = 1, changes = 1; pass === 1 || changes > 0; pass++) {
      if (pass > PASSES_MAX) {
        const text = `${copy.lastChanged} is changed again and again; end the program that does it, and move again`
        throw new TwinfoldError('refused', text)
      }
      changes = await copy.pass('items', pass > 1)
      await this.#requireBoth() // what is missing on a disk that went away is not deleted
    }
    await copy.pass('marker', false)
    const { disk } = this.#deps.platform
    await disk.syncDirectory(to)
    // A convenience, as for a new marker.
    if (this.#folder.markerName === DEFAULT_MARKER_NAME) await disk.hide(join(to, DEFAULT_MARKER_NAME)).catch(() => {})
    await this.#advance({ state: 'verified' })
  }

  async #requireBoth(): Promise<void> {
    await this.#places.requireMarker('from')
    await this.#places.requireClaim()
  }

  async #copyDeps(signal: AbortSignal): Promise<TreeCopyDeps> {
    const { log } = this.#deps
    const progress = this.#progress
    return {
      ...this.#fileDeps(signal),
      index: await this.#deps.index(),
      onBytes: (count) => void (progress.bytesDone = Math.min(progress.bytes, progress.bytesDone + count)),
      onFile: (sizeBytes, isCopied) => {
        progress.filesDone = Math.min(progress.files, progress.filesDone + 1)
        if (!isCopied) progress.bytesDone = Math.min(progress.bytes, progress.bytesDone + sizeBytes)
      },
      warn: (text) => log.warn(`folder ${this.#entry.folder}: ${text}`),
    }
  }

  #fileDeps(signal: AbortSignal): FileCopyDeps {
    const { attributes, disk, hasher } = this.#deps.platform
    return { attributes, disk, hasher, signal, onBytes: () => {} }
  }

  async #removeOld(signal: AbortSignal): Promise<void> {
    const { from, since, to } = this.#entry
    await this.#places.requireMarker('to')
    const left = await this.#removal(signal, {}, { root: from, other: to, since, withRoot: true })
    await this.#places.requireMarker('to') // what has no counterpart on a disk that went away did not stay for that
    const { log } = this.#deps
    if (left.count > 0)
      log.warn(
        `folder ${this.#entry.folder}: ${left.count} items stayed in ${from}: ${left.names.slice(0, 5).join(', ')}`,
      )
    await this.#advance({ ...this.#ended('done'), left: left.names, leftCount: left.count })
  }

  async #undo(signal: AbortSignal): Promise<void> {
    const { error, from, madeRoot, method, to } = this.#entry
    const left = method === 'copy' ? await this.#removeCopy(signal, { from, to, madeRoot }) : await this.#renameBack()
    const result = error === CANCELLED ? ('cancelled' as const) : ('failed' as const)
    await this.#advance({ ...this.#ended(result), left: left.names, leftCount: left.count })
  }

  async #renameBack(): Promise<LeftItems> {
    const { disk } = this.#deps.platform
    const { from, to } = this.#entry
    if (renameState(await this.#places.isMarked('from'), await this.#places.isMarked('to')) === 'done') {
      await disk.renameNew(to, from)
      for (const directory of new Set([dirname(from), dirname(to)])) await disk.syncDirectory(directory)
    }
    return { names: [], count: 0 }
  }

  /** Only while the old place is there: its copies are all that is left otherwise. */
  async #removeCopy(signal: AbortSignal, place: Pick<MoveEntry, 'from' | 'to' | 'madeRoot'>): Promise<LeftItems> {
    if (!(await this.#places.isClaimed())) return { names: [], count: 0 }
    const options = { root: place.to, other: place.from, since: undefined, withRoot: place.madeRoot }
    if (!this.#deps.isConfigured()) return await this.#removal(signal, {}, options)
    await this.#places.requireMarker('from')
    const { records } = await this.#deps.index()
    const isKnownCopy = async (name: string, stat: DiskStat) => {
      const record = await records.head('local', name)
      return record !== undefined && isRecorded(stat, record)
    }
    return await this.#removal(signal, { isKnownCopy }, options)
  }

  async #removal(
    signal: AbortSignal,
    known: Pick<RemovalDeps, 'isKnownCopy'>,
    options: Pick<RemovalOptions, 'root' | 'other' | 'since' | 'withRoot'>,
  ): Promise<LeftItems> {
    const files = new FileCopy(this.#fileDeps(signal), this.#folder)
    const deps = {
      disk: this.#deps.platform.disk,
      signal,
      isSameContent: (one: string, other: string) => files.isSameContent(one, other),
      ...known,
    }
    const { markerName } = this.#folder
    return await new TreeRemoval(deps, { ...options, markerName, ...copyRules(this.#folder) }).run()
  }

  #ended(state: MoveResult): Pick<MoveEntry, 'state' | 'endedMs'> {
    return { state, endedMs: this.#deps.platform.clock.nowMs() }
  }

  /** Resolves when the journal has the step. */
  async #advance(change: Partial<MoveEntry>): Promise<void> {
    const entry = { ...this.#entry, ...change }
    const { clock } = this.#deps.platform
    const ended = isEnded(entry) && entry.endedMs === 0 ? { ...entry, endedMs: clock.nowMs() } : entry
    await this.#deps.journal.put(ended).catch((error: unknown) => {
      throw new Unsaved(messageOf(error), { cause: error })
    })
    this.#entry = ended
    this.#deps.log.info(`folder ${entry.folder}: move to ${entry.to} (${entry.method}): ${entry.state}`)
  }
}

function failureOf(error: unknown, now: { readonly isCancelled: boolean; readonly isFinal: boolean }): MoveFailure {
  if (now.isCancelled) return { kind: 'cancelled' }
  const isTemporary = error instanceof NotThere || error instanceof Unsaved
  return isTemporary && !now.isFinal ? { kind: 'temporary' } : { kind: 'failed', text: messageOf(error) }
}

/** The journal or the settings could not be written: whether the next start finds the old or the new ones is open. */
class Unsaved extends Error {}

/** The settings refused the path: they are as before. */
function isRefusal(error: unknown): boolean {
  return error instanceof TwinfoldError && REFUSALS.includes(error.code)
}

export function statusOf(entry: MoveEntry): MoveStatus {
  const { from, to, method, state, startedMs, endedMs, error, left, leftCount } = entry
  const none = { files: 0, filesDone: 0, bytes: 0, bytesDone: 0 }
  const shown = error === CANCELLED ? '' : error
  return {
    from,
    to,
    method,
    state,
    startedMs,
    endedMs,
    ...none,
    cancellable: isCancellable(entry),
    error: shown,
    left,
    leftCount,
  }
}
