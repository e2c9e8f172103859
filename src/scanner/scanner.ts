import type { Accounts } from '../core/attributes/accounts.ts'
import {
  confirmedRecord,
  isChanged,
  recordOf,
  type CompareOptions,
  type OwnershipOptions,
  type RecordOptions,
} from '../core/records/change.ts'
import { FLAG_RECEIVE_ONLY, isInvalid, type FileHead, type FileInfo } from '../core/records/file-info.ts'
import type { ShortId } from '../core/ids.ts'
import type { IgnoreRules } from '../core/ignore/ignore.ts'
import { ancestorsOf, compareNames } from '../core/paths.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import { diskReason } from '../platform/files/disk-reason.ts'
import type { Disk } from '../platform/disk.ts'
import type { Hasher, HashResult } from '../platform/hasher.ts'
import type { Walker } from '../platform/walk.ts'
import { Absences } from './absences.ts'
import type { ScanAttributes, ScannedItem } from './attributes.ts'
import { BatchWriter } from './batch-writer.ts'
import { HashQueue, type HashRequest } from './hash-queue.ts'
import { IndexCursor, NEED_PAGE, type PageSource } from './index-cursor.ts'
import { normalizeName } from './normalize.ts'
import { isCaseInsensitive, PresenceCheck } from './presence.ts'
import { ProgressMeter } from './progress.ts'
import type { ScanProblem, ScanProgress, ScanResult, StoredBatch } from './types.ts'

/** The part of a folder's index that a scan needs. */
export interface ScanIndex extends PageSource {
  get(owner: 'local', name: string): Promise<FileHead | undefined>
  global(name: string): Promise<FileHead | undefined>
  updateLocal(batch: readonly FileInfo[]): Promise<number>
  dropLocal(names: readonly string[]): Promise<void>
  localByBlocks(blocksHash: Uint8Array, limit: number): Promise<readonly FileHead[]>
}

export interface ScanDeps {
  readonly walker: Walker
  readonly hasher: Hasher
  readonly disk: Pick<Disk, 'lstat' | 'list' | 'removeFile' | 'renameNew'>
  readonly clock: Clock
  readonly index: ScanIndex
  readonly log: Logger
  /** Called before the scan and before each batch is stored; a rejection aborts the scan. */
  checkHealth(): Promise<void>
  onBatch(batch: StoredBatch): void
  onProgress(progress: ScanProgress): void
}

export interface ScanRequest {
  /** Absolute path of the folder root. */
  readonly root: string
  /** Result of `cleanSubs`; [''] is the whole folder. */
  readonly subs: readonly string[]
  readonly ignore: IgnoreRules
  readonly ignorePerms: boolean
  readonly modTimeWindowMs: number
  readonly autoNormalize: boolean
  readonly ownShortId: ShortId
  /** Lower bound for version counters, independent of the clock. */
  readonly minCounter?: number | undefined
  /** Flags every change as local, not to be announced. */
  readonly receiveOnly: boolean
  /** Temporary files older than this are removed; 0 keeps them all. */
  readonly keepTemporariesMs: number
  /** 0 or less: no progress is reported. */
  readonly progressIntervalMs: number
  /** Files hashed in parallel; 0 or less uses the hasher's default. */
  readonly hashers: number
  /** Undefined: ownership is not compared. */
  readonly ownership?: { readonly accounts: Accounts; readonly synced: boolean } | undefined
  /** Undefined where extended attributes are not synchronized. */
  readonly attributes?: ScanAttributes | undefined
  /** Result of a recent check of the folder; replaces the check before the first batch. */
  readonly checked?: { readonly caseInsensitive: boolean } | undefined
}

/** Limit of stored problems; bounds memory when every item fails. */
const PROBLEMS_MAX = 10_000
/** Limit of normalization rounds: each round goes one directory deeper. */
const ROUNDS_MAX = 100
/** Files of equal content examined as rename sources. */
const RENAME_CANDIDATES_MAX = 10

/**
 * Compares the disk with our index and stores what differs. An item that cannot be read is a problem in the result,
 * not the end of the scan; only an unhealthy folder, a failing index or an abort rejects.
 */
export async function scanFolder(deps: ScanDeps, request: ScanRequest, signal: AbortSignal): Promise<ScanResult> {
  const { caseInsensitive } = request.checked ?? (await checkFolder(deps, request.root))
  const stop = new AbortController()
  const scan = new FolderScan(deps, request, caseInsensitive, AbortSignal.any([signal, stop.signal]))
  const { log } = deps
  log.debug(() => `scanning ${JSON.stringify(request.root)}, ${JSON.stringify(request.subs)}`)
  try {
    const result = await scan.run()
    log.debug(() => `scanned ${JSON.stringify(request.root)}: ${summaryOf(result)}`)
    return result
  } finally {
    stop.abort(new Error('the scan has ended'))
  }
}

async function checkFolder(deps: ScanDeps, root: string): Promise<{ readonly caseInsensitive: boolean }> {
  const [caseInsensitive] = await Promise.all([isCaseInsensitive(deps.disk, root), deps.checkHealth()])
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
  readonly #writer: BatchWriter
  readonly #queue: HashQueue
  readonly #absences: Absences
  readonly #meter: ProgressMeter
  readonly #problems = new Map<string, ScanProblem>()
  readonly #localFlags: number
  readonly #compareOptions: CompareOptions
  readonly #ownership: OwnershipOptions | undefined
  readonly #onProblem = (path: string, error: string): void => this.#problem(path, error)
  #subs: ReadonlySet<string> = new Set()
  #itemsSeen = 0
  /** The first scan of a folder has no rename sources, so the lookup is skipped. */
  #indexHasRecords = false

  constructor(deps: ScanDeps, request: ScanRequest, caseInsensitive: boolean, signal: AbortSignal) {
    this.#deps = deps
    this.#request = request
    this.#signal = signal
    this.#caseInsensitive = caseInsensitive
    this.#localFlags = request.receiveOnly ? FLAG_RECEIVE_ONLY : 0
    const { ignorePerms, modTimeWindowMs } = request
    this.#ownership = request.ownership && { ...request.ownership, ownShortId: request.ownShortId }
    this.#compareOptions = {
      ignorePerms,
      modTimeWindowMs,
      ownFlags: this.#localFlags,
      ownership: this.#ownership,
      attributes: request.attributes?.rules,
    }
    this.#meter = new ProgressMeter(deps.clock, deps.onProgress)
    this.#writer = new BatchWriter({
      clock: deps.clock,
      updateLocal: (batch) => deps.index.updateLocal(batch),
      checkHealth: () => deps.checkHealth(),
      onBatch: (batch) => deps.onBatch(batch),
    })
    this.#queue = new HashQueue({
      hasher: deps.hasher,
      root: request.root,
      signal,
      hashersMax: request.hashers,
      onBytes: this.#meter.advance,
      onResults: (requests, results) => this.#takeHashes(requests, results),
    })
    this.#absences = new Absences({
      ignore: request.ignore,
      presence: new PresenceCheck(deps.disk, { root: request.root, caseInsensitive }),
      recordOptions: () => this.#recordOptions(),
      add: (record) => this.#writer.add(record),
      global: (name) => deps.index.global(name),
      drop: (names) => deps.index.dropLocal(names),
      settle: () => this.#storeIfFull(),
      onProblem: (path, error) => this.#problem(path, error),
    })
  }

  async run(): Promise<ScanResult> {
    const intervalMs = this.#request.progressIntervalMs
    if (intervalMs > 0) void this.#meter.run(intervalMs, this.#signal)
    await this.#walkAll()
    await this.#queue.drain()
    await this.#absences.settle()
    await this.#writer.flush()
    this.#signal.throwIfAborted()
    if (intervalMs > 0) this.#meter.report()
    return {
      changed: this.#writer.stored,
      problems: [...this.#problems.values()],
      itemsSeen: this.#itemsSeen,
      bytesHashed: this.#meter.hashedBytes,
    }
  }

  /** Walks, normalizes names and walks the renamed items, until nothing is left to rename. */
  async #walkAll(): Promise<void> {
    let subs = this.#request.subs
    for (let round = 0; subs.length > 0 && round < ROUNDS_MAX; round++) subs = await this.#walk(subs)
  }

  async #walk(subs: readonly string[]): Promise<readonly string[]> {
    this.#subs = new Set(subs)
    const renamed: string[] = []
    const cursor = new IndexCursor(this.#deps.index, subs, (record) => this.#absences.note(record))
    await cursor.load()
    this.#indexHasRecords ||= !subs.includes('') || cursor.hasRecords
    const { root, ignore, keepTemporariesMs } = this.#request
    const temporariesBeforeMs = this.#deps.clock.nowMs() - keepTemporariesMs
    const request = {
      root,
      subs,
      ignoreLines: ignore.lines,
      caseInsensitive: this.#caseInsensitive,
      ownership: this.#ownership !== undefined,
      removeTemporariesBeforeS: keepTemporariesMs > 0 ? Math.floor(temporariesBeforeMs / 1_000) : undefined,
    }
    for await (const batch of this.#deps.walker.walk(request, this.#signal)) {
      for (const { path, message } of batch.problems) this.#unknown(path, message)
      renamed.push(...(await this.#normalize(batch.unnormalized)))
      const attributes = this.#request.attributes
      const items = attributes && (await attributes.read(batch.items, this.#onProblem, this.#signal))
      await this.#compare(items ?? batch.items, cursor)
      await this.#catchUp()
    }
    await cursor.finish()
    return renamed.sort(compareNames)
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
        await cursor.load()
        record = cursor.seek(item.name)
      }
      this.#itemsSeen++
      if (attributes === undefined || record === undefined) this.#compareItem(item, record)
      else this.#compareItem(await attributes.complete(item, record, this.#onProblem), record)
    }
  }

  #compareItem(item: ScannedItem, record: FileHead | undefined): void {
    if (record !== undefined && !isChanged(record, item, this.#compareOptions)) return
    if (item.type !== 'file') return this.#writer.add(recordOf(item, record, undefined, this.#recordOptions()))
    this.#meter.expect(item.sizeBytes)
    this.#queue.add(item, record)
  }

  /** A directory above a sub: its own changes are left to its own scan, but the index must contain it. */
  async #compareParent(item: ScannedItem): Promise<void> {
    const record = await this.#deps.index.get('local', item.name)
    const known = record !== undefined && !record.deleted && record.type === item.type && !isInvalid(record)
    if (!known) this.#compareItem(item, record)
  }

  /** Back-pressure: the walk waits for hashing and storing. */
  async #catchUp(): Promise<void> {
    await this.#storeIfFull()
    await this.#queue.room()
    if (this.#absences.isFull) await this.#absences.settle()
    this.#signal.throwIfAborted()
  }

  async #storeIfFull(): Promise<void> {
    if (this.#writer.isFull) await this.#writer.flush()
  }

  async #takeHashes(requests: readonly HashRequest[], results: readonly HashResult[]): Promise<void> {
    const options = this.#recordOptions()
    for (let i = 0; i < requests.length; i++) {
      const { item, record, blockSizeBytes } = requests[i]!
      const result = results[i]!
      if (result.kind === 'changed') this.#problem(item.name, 'hashing: file changed during hashing')
      else if (result.kind === 'failed') this.#hashFailed(item.name, result)
      else {
        const content = { blockSizeBytes, blockHashes: result.blockHashes, blocksHash: result.blocksHash }
        const info =
          confirmedRecord(record, item, content, this.#compareOptions) ?? recordOf(item, record, content, options)
        const isNew = record === undefined || record.deleted
        const source = isNew && this.#indexHasRecords ? await this.#renamedFrom(info) : undefined
        // Adjacent in one batch, so that other devices can rename instead of downloading again.
        this.#writer.add(info)
        if (source !== undefined) this.#writer.add(source)
        if (this.#writer.isFull) await this.#writer.flush()
      }
    }
  }

  /** The deletion of the file that was renamed to this one. */
  async #renamedFrom(info: FileInfo): Promise<FileInfo | undefined> {
    if (this.#request.receiveOnly || info.sizeBytes === 0 || info.blocksHash === undefined) return undefined
    for (const candidate of await this.#deps.index.localByBlocks(info.blocksHash, RENAME_CANDIDATES_MAX)) {
      if (candidate.name === info.name || candidate.sizeBytes !== info.sizeBytes || isInvalid(candidate)) continue
      const deletion = await this.#absences.claimIfGone(candidate)
      if (deletion !== undefined) return deletion
    }
    return undefined
  }

  #hashFailed(name: string, { code, message }: Extract<HashResult, { kind: 'failed' }>): void {
    if (code === 'ENOENT' || code === 'ENOTDIR') return // deleted after the walk: the next scan records it
    if (code === 'ELOOP') return this.#problem(name, 'hashing: file changed during hashing')
    this.#problem(name, `hashing: ${diskReason(new Error(message))}`)
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

  #unknown(path: string, error: string): void {
    this.#absences.setUnknown(path)
    this.#problem(path, error)
  }

  #problem(path: string, error: string): void {
    if (this.#problems.size >= PROBLEMS_MAX) return
    this.#problems.set(path, { path, error })
    this.#deps.log.debug(() => `${JSON.stringify(path)}: ${error}`)
  }

  #isWithinSubs(name: string): boolean {
    const subs = this.#subs
    return subs.has('') || subs.has(name) || ancestorsOf(name).some((ancestor) => subs.has(ancestor))
  }

  #recordOptions(): RecordOptions {
    const { ownShortId, minCounter, ignorePerms } = this.#request
    const nowS = Math.floor(this.#deps.clock.nowMs() / 1_000)
    return {
      ownShortId,
      ignorePerms,
      nowS,
      minCounter,
      localFlags: this.#localFlags,
      ownership: this.#ownership,
      attributes: this.#request.attributes?.rules,
    }
  }
}
