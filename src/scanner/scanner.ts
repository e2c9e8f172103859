import { isChanged, recordOf } from '../core/records/change.ts'
import { diskStampOf } from '../core/records/disk-stamp.ts'
import { isInvalid, type FileHead } from '../core/records/file-info.ts'
import { ancestorsOf, compareNames } from '../core/paths.ts'
import type { WalkRequest } from '../platform/walk.ts'
import { LinkedAbort } from '../sync/linked-abort.ts'
import { Absences } from './absences.ts'
import { settleAside } from './asides.ts'
import type { ScannedItem } from './attributes.ts'
import { BatchWriter } from './batch-writer.ts'
import { HashedFiles } from './hashed-files.ts'
import { HashQueue } from './hash-queue.ts'
import { IndexCursor, NEED_PAGE } from './index-cursor.ts'
import { KeptItems } from './kept-items.ts'
import { normalizeName } from './normalize.ts'
import { isCaseInsensitive, PresenceCheck } from './presence.ts'
import { ScanProblems } from './problems.ts'
import { ProgressMeter } from './progress.ts'
import { RecordRules } from './record-rules.ts'
import type { ScanDeps, ScanRequest, ScanResult } from './types.ts'
import { hasSameStamp, isKnownParent, isUnchangedFile } from './unchanged-file.ts'

/** Empty files that wait for the guard; more are left to the next scan. */
const EMPTIED_MAX = 100_000
/** Limit of normalization rounds: each round goes one directory deeper. */
const ROUNDS_MAX = 100

/**
 * Compares the disk with our index and stores what differs. An item that cannot be read is a problem in the result,
 * not the end of the scan; only an unhealthy folder, a failing index or an abort rejects.
 */
export async function scanFolder(deps: ScanDeps, request: ScanRequest, signal: AbortSignal): Promise<ScanResult> {
  const { caseInsensitive } = request.checked ?? (await checkFolder(deps, request))
  const { log } = deps
  log.debug(() => `scanning ${JSON.stringify(request.root)}, ${JSON.stringify(request.subs)}`)
  const isUnchanged = !caseInsensitive && (await isUnchangedFile(deps, request))
  const result = isUnchanged ? await unchangedFile(request) : await scanAll(deps, request, caseInsensitive, signal)
  signal.throwIfAborted()
  log.debug(() => `scanned ${JSON.stringify(request.root)}: ${summaryOf(result)}`)
  return result
}

async function unchangedFile({ guard }: ScanRequest): Promise<ScanResult> {
  await guard?.decide()
  return { changed: 0, problems: [], itemsSeen: 1, bytesHashed: 0 }
}

async function scanAll(
  deps: ScanDeps,
  request: ScanRequest,
  caseInsensitive: boolean,
  signal: AbortSignal,
): Promise<ScanResult> {
  using end = new LinkedAbort(signal)
  return await new FolderScan(deps, request, caseInsensitive, end.signal).run()
}

async function checkFolder(
  deps: ScanDeps,
  { caseSensitive = false, root }: ScanRequest,
): Promise<{ readonly caseInsensitive: boolean }> {
  const folds = caseSensitive ? false : isCaseInsensitive(deps.disk, root)
  const [caseInsensitive] = await Promise.all([folds, deps.checkHealth()])
  return { caseInsensitive }
}

function summaryOf({ itemsSeen, changed, bytesHashed, problems }: ScanResult): string {
  return `${itemsSeen} items seen, ${changed} changed, ${bytesHashed} bytes hashed, ${problems.length} problems`
}

class FolderScan {
  readonly #deps: ScanDeps
  readonly #request: ScanRequest
  readonly #signal: AbortSignal
  readonly #caseInsensitive: boolean
  readonly #rules: RecordRules
  readonly #problems: ScanProblems
  readonly #meter: ProgressMeter
  readonly #writer: BatchWriter
  readonly #absences: Absences
  readonly #queue: HashQueue
  readonly #kept: KeptItems | undefined
  #subs: ReadonlySet<string> = new Set()
  #itemsSeen = 0
  /** Files that have become empty, for the guard. */
  readonly #emptied: { readonly item: ScannedItem; readonly record: FileHead }[] = []
  /** The first scan of a folder has no rename sources, so the lookup is skipped. */
  #indexHasRecords = false

  constructor(deps: ScanDeps, request: ScanRequest, caseInsensitive: boolean, signal: AbortSignal) {
    this.#deps = deps
    this.#request = request
    this.#signal = signal
    this.#caseInsensitive = caseInsensitive
    this.#rules = new RecordRules(request, deps.clock)
    this.#problems = new ScanProblems(deps.log)
    this.#meter = new ProgressMeter(deps.clock, deps.onProgress)
    this.#writer = new BatchWriter({
      clock: deps.clock,
      updateLocal: (batch) => deps.index.updateLocal(batch, 'scan'),
      setDiskStamps: (stamps) => deps.index.setDiskStamps(stamps),
      checkHealth: () => deps.checkHealth(),
      beforeBatch: async (batch) => await deps.beforeBatch?.(batch),
      onBatch: (batch) => deps.onBatch(batch),
    })
    this.#absences = new Absences({
      ignore: request.ignore,
      presence: new PresenceCheck(deps.disk, { root: request.root, caseInsensitive }),
      recordOptions: () => this.#rules.record,
      add: (record) => this.#writer.add(record),
      global: (name) => deps.index.global(name),
      settle: () => this.#storeIfFull(),
      unmounted: async () => (await deps.unmounted?.()) ?? [],
      onProblem: this.#problems.add,
      guard: request.guard,
      head: (name) => deps.index.head('local', name),
    })
    const list = request.kept
    this.#kept = list && new KeptItems({ list, rules: this.#rules, add: (record) => this.#writer.add(record) })
    const hashed = this.#hashedFiles()
    this.#queue = new HashQueue({
      hasher: deps.hasher,
      root: request.root,
      signal,
      hashersMax: request.hashers,
      onBytes: this.#meter.advance,
      onResults: (requests, results) => hashed.take(requests, results),
    })
  }

  #hashedFiles(): HashedFiles {
    return new HashedFiles({
      index: this.#deps.index,
      rules: this.#rules,
      writer: this.#writer,
      absences: this.#absences,
      kept: this.#kept,
      noteNew: (info) => this.#request.guard?.noteNew(info),
      findsRenames: () => this.#indexHasRecords && !this.#request.receiveOnly,
      onProblem: this.#problems.add,
    })
  }

  async run(): Promise<ScanResult> {
    const intervalMs = this.#request.progressIntervalMs
    if (intervalMs > 0) this.#meter.runLater(intervalMs, this.#signal)
    await this.#walkAll()
    this.#meter.endCounting()
    await this.#queue.drain()
    await this.#absences.settle()
    await this.#settleGuarded()
    await this.#kept?.forgetGone(this.#request.subs, (name) => this.#absences.isGone(name))
    await this.#writer.flush()
    this.#signal.throwIfAborted()
    if (intervalMs > 0) this.#meter.report()
    return {
      changed: this.#writer.stored,
      problems: this.#problems.list,
      itemsSeen: this.#itemsSeen,
      bytesHashed: this.#meter.hashedBytes,
    }
  }

  /** Stored before: what is gone may be here under a new name. */
  async #settleGuarded(): Promise<void> {
    const { guard } = this.#request
    if (guard === undefined) return
    await this.#writer.flush()
    await this.#absences.examineGuarded()
    for (const { record } of this.#emptied) guard.examine(record, 'emptied')
    const held = await guard.decide()
    for (const { item, record } of this.#emptied) {
      if (held.has(item.name)) continue
      this.#queue.add(item, record)
      await this.#queue.room()
    }
    await this.#queue.drain()
    await this.#absences.settleGuarded(held)
  }

  /** Walks, normalizes names and walks the renamed items, until nothing is left to rename. */
  async #walkAll(): Promise<void> {
    let subs: readonly string[] = this.#request.subs
    for (let round = 0; subs.length > 0 && round < ROUNDS_MAX; round++) subs = await this.#walk(subs)
  }

  async #walk(subs: readonly string[]): Promise<readonly string[]> {
    this.#subs = new Set(subs)
    const renamed: string[] = []
    const cursor = new IndexCursor(this.#deps.index, subs, (record) => this.#absences.note(record))
    await cursor.load()
    this.#indexHasRecords ||= !subs.includes('') || cursor.hasRecords
    for await (const batch of this.#deps.walker.walk(this.#walkRequest(subs), this.#signal)) {
      for (const { path, message } of batch.problems) this.#unknown(path, message)
      for (const name of await this.#normalize(batch.unnormalized)) renamed.push(name)
      for (const name of await this.#settleAsides(batch.asides)) renamed.push(name)
      const attributes = this.#request.attributes
      const items = attributes && (await attributes.read(batch.items, this.#problems.add, this.#signal))
      await this.#compare(items ?? batch.items, cursor)
      await this.#catchUp()
    }
    await cursor.finish(() => this.#settleAtEnd())
    return renamed.sort(compareNames)
  }

  #walkRequest(subs: readonly string[]): WalkRequest {
    const { root, ignore, keepTemporariesMs, temporariesInUse } = this.#request
    const temporariesBeforeMs = this.#deps.clock.nowMs() - keepTemporariesMs
    return {
      root,
      subs,
      ignoreLines: ignore.lines,
      caseInsensitive: this.#caseInsensitive,
      ownership: this.#rules.ownership !== undefined,
      removeTemporariesBeforeS: Math.floor(temporariesBeforeMs / 1_000),
      ...(temporariesInUse !== undefined && { keptTemporaries: temporariesInUse }),
    }
  }

  async #compare(items: readonly ScannedItem[], cursor: IndexCursor): Promise<void> {
    const { attributes } = this.#request
    for (const item of items) {
      if (!this.#isWithinSubs(item.name)) {
        await this.#compareParent(item)
        continue
      }
      let record = cursor.seek(item.name)
      while (record === NEED_PAGE) {
        if (this.#absences.isFull) await this.#absences.settle()
        await cursor.load()
        record = cursor.seek(item.name)
      }
      this.#itemsSeen++
      if (attributes === undefined || record === undefined) this.#compareItem(item, record)
      else this.#compareItem(await attributes.complete(item, record, this.#problems.add), record)
    }
  }

  #compareItem(item: ScannedItem, record: FileHead | undefined): void {
    if (item.type === 'directory' && this.#request.isNoItem?.(item.name) === true) return
    if (record === undefined || record.deleted) return this.#compareUnrecorded(item, record)
    this.#kept?.noteLive(item.name)
    if (!isChanged(record, item, this.#rules.compare) && !this.#isSuspect(item, record)) return
    this.#record(item, record)
  }

  /** An item that is new, or that other devices have deleted and that stays here. */
  #compareUnrecorded(item: ScannedItem, record: FileHead | undefined): void {
    const verdict = this.#kept?.judge(item, record) ?? 'record'
    if (verdict === 'record') {
      if (item.type !== 'file') this.#kept?.announceAbove(item.name) // a file when it is hashed
      this.#record(item, this.#kept?.baseOf(item.name, record) ?? record)
    } else if (verdict === 'compare') {
      this.#meter.expect(item.sizeBytes)
      this.#queue.add(item, record, this.#request.kept?.find(item.name)?.file)
    }
  }

  #record(item: ScannedItem, record: FileHead | undefined): void {
    if (item.type !== 'file') return this.#writer.add(recordOf(item, record, undefined, this.#rules.recordOver(record)))
    if (this.#request.guard !== undefined && item.sizeBytes === 0 && record !== undefined && hadContent(record)) {
      if (this.#emptied.length < EMPTIED_MAX) this.#emptied.push({ item, record })
      return
    }
    this.#meter.expect(item.sizeBytes)
    this.#queue.add(item, record)
  }

  /** Whether a file may have other content although size and modification time are the recorded ones. */
  #isSuspect(item: ScannedItem, record: FileHead): boolean {
    if (hasSameStamp(item, record)) return false
    if (record.diskStamp !== undefined) return true
    const stamp = diskStampOf(item)
    // A record of an earlier version, or of a file that was just pulled.
    if (stamp !== undefined) this.#writer.addStamp(item.name, stamp)
    return false
  }

  /** A directory above a sub: its own changes are left to its own scan, but the index must contain it. */
  async #compareParent(item: ScannedItem): Promise<void> {
    const record = await this.#deps.index.head('local', item.name)
    if (!isKnownParent(item, record)) this.#compareItem(item, record)
  }

  /** Back-pressure: the walk waits for hashing and storing. */
  async #catchUp(): Promise<void> {
    await this.#storeIfFull()
    await this.#queue.room()
    if (this.#absences.isFull) await this.#absences.settle()
    this.#signal.throwIfAborted()
  }

  /** At the end of a walk: all files are hashed before deletions are recorded, so that renames are found. */
  async #settleAtEnd(): Promise<void> {
    if (this.#absences.isWorthSettling) {
      await this.#queue.drain()
      await this.#absences.settle()
    }
    this.#signal.throwIfAborted()
  }

  async #storeIfFull(): Promise<void> {
    if (this.#writer.isFull) await this.#writer.flush()
  }

  async #normalize(paths: readonly string[]): Promise<readonly string[]> {
    const renamed: string[] = []
    for (const path of paths) {
      if (!this.#request.autoNormalize) {
        this.#unknown(path, 'normalizing path: item is not in the correct UTF8 normalization form')
        continue
      }
      const done = await normalizeName(this.#deps.disk, this.#request.root, path)
      if ('error' in done) {
        this.#unknown(path, done.error)
        continue
      }
      this.#deps.log.info(`Normalized UTF8 encoding of file name ${JSON.stringify(done.name)}`)
      renamed.push(done.name)
    }
    return renamed
  }

  async #settleAsides(paths: readonly string[]): Promise<readonly string[]> {
    const { clock, disk, index, log } = this.#deps
    const renamed: string[] = []
    for (const path of paths) {
      const deps = { disk, index, nowMs: () => clock.nowMs(), compare: this.#rules.compare }
      const settled = await settleAside(deps, this.#request, path)
      if (settled === undefined) continue
      if ('error' in settled) {
        this.#problems.add(path, settled.error)
        continue
      }
      log.info(`Restored ${JSON.stringify(settled.name)} after an interruption`)
      renamed.push(settled.name)
    }
    return renamed
  }

  #unknown(path: string, error: string): void {
    this.#absences.setUnknown(path)
    this.#problems.add(path, error)
  }

  #isWithinSubs(name: string): boolean {
    const subs = this.#subs
    return subs.has('') || subs.has(name) || ancestorsOf(name).some((ancestor) => subs.has(ancestor))
  }
}

function hadContent({ deleted, sizeBytes, type, localFlags }: FileHead): boolean {
  return !deleted && type === 'file' && sizeBytes > 0 && !isInvalid({ localFlags })
}
