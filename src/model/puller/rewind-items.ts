import { pastItem, type PastItem } from '../../core/history/entry.ts'
import { deletionOf, recordOf, type Content as HashedContent, type DiskItem } from '../../core/records/change.ts'
import { FLAG_RECEIVE_ONLY, withDiskState, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import type { Counting } from '../../core/records/version-vector.ts'
import type { ChangedItem } from '../../core/rewind/moment.ts'
import { hasSameContent, rewindStep, type RewindMode, type RewindStep } from '../../core/rewind/step.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure, itemFailed } from '../../platform/files/item-failed.ts'
import type { Hasher } from '../../platform/hasher.ts'
import type { Contents } from '../content/contents.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { FileContent } from '../tree/content.ts'
import { hashText, type PastSource, type PastSources } from './past-sources.ts'
import type { PullParts } from './pull-parts.ts'

/** One item that is to be as it was. */
export interface RewoundItem extends ChangedItem {
  readonly name: string
  /** The name under which it is put: its own, or one beside. */
  readonly target: string
}

/** Items in the order of their names, directories first. */
export interface RewindChunk {
  readonly items: readonly RewoundItem[]
  readonly mode: RewindMode
  /** Our record of an item that has a higher sequence number was changed since the rewind began. */
  readonly startSequence: number
}

export interface RewindOutcome {
  /** How many of the items were handled: a chunk ends when it has taken long enough. */
  readonly handled: number
  readonly rewound: number
  readonly bytes: number
  readonly removed: number
  readonly left: number
  readonly gone: readonly string[]
  readonly failures: ReadonlyMap<string, string>
}

export interface RewindParts extends Pick<PullParts, 'clock' | 'folder' | 'index' | 'log' | 'records' | 'tree'> {
  readonly hasher: Hasher
  readonly contents: Pick<Contents, 'obtain'>
  readonly sources: Pick<PastSources, 'of'>
  readonly counting: Counting
}

/** Scans and pulls of the folder wait for a chunk. */
const CHUNK_MS_MAX = 1_000
const WRITABLE_MODES = { file: 0o644, directory: 0o755, symlink: 0o777 } as const

/** Content that was found, verified, with its block hashes. */
interface FoundContent extends HashedContent {
  readonly file: FileContent
}

/**
 * Makes items what they were. What is replaced becomes an old version first. The caller must hold the lock
 * exclusively.
 */
export async function rewindItems(parts: RewindParts, chunk: RewindChunk, signal: AbortSignal): Promise<RewindOutcome> {
  const rewinding = new Rewinding(parts, chunk, signal)
  const begunMs = parts.clock.monotonicMs()
  let handled = 0
  for (const item of chunk.items) {
    signal.throwIfAborted()
    if (handled > 0 && parts.clock.monotonicMs() - begunMs >= CHUNK_MS_MAX) break
    await rewinding.rewind(item)
    handled++
  }
  await parts.records.flush()
  return { handled, ...rewinding.outcome }
}

class Rewinding {
  readonly #parts: RewindParts
  readonly #chunk: RewindChunk
  readonly #signal: AbortSignal
  readonly #gone: string[] = []
  readonly #failures = new Map<string, string>()
  #rewound = 0
  #bytes = 0
  #removed = 0
  #left = 0

  constructor(parts: RewindParts, chunk: RewindChunk, signal: AbortSignal) {
    this.#parts = parts
    this.#chunk = chunk
    this.#signal = signal
  }

  get outcome(): Omit<RewindOutcome, 'handled'> {
    return {
      rewound: this.#rewound,
      bytes: this.#bytes,
      removed: this.#removed,
      left: this.#left,
      gone: this.#gone,
      failures: this.#failures,
    }
  }

  async rewind(item: RewoundItem): Promise<void> {
    const { index, records } = this.#parts
    const local = await index.records.get('local', item.target)
    if (local !== undefined && local.sequence > this.#chunk.startSequence) return void this.#left++
    try {
      await this.#apply(item, local)
      await records.flushIfDue()
    } catch (error) {
      if (this.#signal.aborted || !isItemFailure(error)) throw error
      this.#failures.set(item.name, diskReason(error))
    }
  }

  async #apply(item: RewoundItem, local: FileInfo | undefined): Promise<void> {
    const step = this.#stepFor(item, local)
    switch (step.kind) {
      case 'none':
      case 'keep':
        return void this.#left++
      case 'blocked':
        throw itemFailed('a directory has its name now')
      case 'remove':
        return await this.#remove(local!) // the item that the step removes
      case 'metadata':
        return await this.#setMetadata(step.past, local!) // the item that has the content
      case 'put':
        return await this.#put(item, step.past, local)
    }
  }

  #stepFor(item: RewoundItem, local: FileInfo | undefined): RewindStep {
    const { mode } = this.#chunk
    const current = itemOf(local)
    if (mode === 'in-place') return rewindStep(item, current, mode)
    if (item.past === undefined) return { kind: 'keep' }
    if (current === undefined) return { kind: 'put', past: item.past, replaces: false }
    if (hasSameContent(item.past, current)) return { kind: 'none' }
    throw itemFailed('something else has its name beside')
  }

  async #put(item: RewoundItem, past: PastItem, local: FileInfo | undefined): Promise<void> {
    const { records, tree } = this.#parts
    if (past.type !== 'file') {
      const record = this.#recordOf(item.target, past, local)
      const next = { global: record, local, saveOurs: false }
      if (past.type === 'directory') await tree.makeDirectory(next)
      else if (!(await tree.makeSymlink(next))) throw itemFailed('symbolic links are not supported here')
      records.add(record, local)
      return void this.#rewound++
    }
    const found = await this.#find(item, past, local)
    if (found === undefined) return void this.#gone.push(item.name)
    const record = this.#recordOf(item.target, past, local, found)
    try {
      const state = await tree.put(found.file, { global: record, local, saveOurs: false })
      if (state === undefined) throw itemFailed('the content could not be put')
      records.add(this.#own(withDiskState(record, state)), local)
    } catch (error) {
      await tree.temporaries.discard(item.target, found.file).catch(() => {}) // the first error is reported
      throw error
    } finally {
      await found.file.close()
    }
    this.#rewound++
    this.#bytes += past.sizeBytes
  }

  async #setMetadata(past: PastItem, local: FileInfo): Promise<void> {
    const { records, tree } = this.#parts
    const { blockSizeBytes, blockHashes, blocksHash } = local
    const content = blockHashes && blocksHash && { blockSizeBytes, blockHashes, blocksHash }
    const record = this.#recordOf(local.name, past, local, content)
    if (past.type === 'directory') {
      await tree.makeDirectory({ global: record, local, saveOurs: false })
      records.add(record, local)
    } else {
      const state = await tree.setMetadata(record, local, undefined)
      records.add(this.#own(withDiskState(record, state)), local)
    }
    this.#rewound++
  }

  async #remove(local: FileInfo): Promise<void> {
    const { records, tree } = this.#parts
    if (local.type !== 'directory') await tree.remove(local.name, local)
    else if (!(await tree.removeDirectory(local.name))) return void this.#left++
    records.add(deletionOf(local, this.#options(false)), local)
    this.#removed++
  }

  /** Undefined where the content is nowhere. */
  async #find(item: RewoundItem, past: PastItem, local: FileInfo | undefined): Promise<FoundContent | undefined> {
    for await (const source of this.#parts.sources.of(item.name, past)) {
      this.#signal.throwIfAborted()
      const found = await this.#obtain(source, item, past, local).catch((error: unknown) => {
        if (this.#signal.aborted || !isItemFailure(error)) throw error
        return undefined // the next one is tried
      })
      if (found !== undefined) return found
    }
    return undefined
  }

  async #obtain(
    source: PastSource,
    { target }: RewoundItem,
    past: PastItem,
    local: FileInfo | undefined,
  ): Promise<FoundContent | undefined> {
    const { temporaries } = this.#parts.tree
    if (source.kind === 'device')
      return target === source.record.name ? await this.#fetch(source.record, local) : undefined
    const record = this.#recordOf(target, past, local)
    await this.#parts.tree.prepare(target, local)
    await temporaries.removeIfThere(target)
    if (source.kind === 'empty') await (await temporaries.create(record)).close()
    else if (source.kind === 'file') await temporaries.copyOther(record, source.name)
    else await temporaries.make(record, (path, permissions) => source.version.copyTo(path, permissions))
    return await this.#verified(record, past)
  }

  /** Opens and hashes the temporary file; one with other content is removed. */
  async #verified(record: FileInfo, past: PastItem): Promise<FoundContent | undefined> {
    const { hasher, tree } = this.#parts
    const { blockSizeBytes } = past
    const opened = await tree.temporaries.open(record.name)
    if (opened === undefined) throw itemFailed('the temporary file cannot be opened')
    const { sizeBytes, modifiedS, modifiedNs } = await opened.stat()
    const job = { path: tree.temporaries.path(record.name), sizeBytes, modifiedS, modifiedNs, blockSizeBytes }
    const [result] = await hasher.hash([job], () => {}, this.#signal)
    const close = () => opened.close()
    const file: FileContent = {
      kind: 'file',
      file: opened,
      isFresh: true,
      trailerBytes: undefined,
      sealed: undefined,
      close,
    }
    if (result?.kind === 'hashed' && hashText(result.blocksHash) === past.blocksHash) {
      const { blockHashes, blocksHash } = result
      return {
        file,
        blockSizeBytes,
        blockHashes: Uint8Array.from(blockHashes),
        blocksHash: Uint8Array.from(blocksHash),
      }
    }
    await tree.temporaries.discard(record.name, file)
    await close()
    return undefined
  }

  async #fetch(record: FileInfo, local: FileInfo | undefined): Promise<FoundContent | undefined> {
    const { blockHashes, blocksHash, blockSizeBytes } = record
    if (blockHashes === undefined || blocksHash === undefined) return undefined
    const wanted = { global: record, local, mayUseMemory: false, onBegun: () => {}, onAllRequested: () => {} }
    const content = await this.#parts.contents.obtain(wanted, this.#signal)
    return content.kind === 'file' ? { file: content, blockSizeBytes, blockHashes, blocksHash } : undefined
  }

  #recordOf(name: string, past: PastItem, local: FileHead | undefined, content?: HashedContent): FileInfo {
    const mode = past.permissions ?? (local?.noPermissions === false ? local.permissions : WRITABLE_MODES[past.type])
    const item: DiskItem = { ...past, name, mode }
    return this.#own(recordOf(item, local, content, this.#options(past.permissions === undefined)))
  }

  #own(record: FileInfo): FileInfo {
    return { ...record, localFlags: this.#localFlags }
  }

  #options(ignorePerms: boolean) {
    const { clock, counting, tree } = this.#parts
    const nowS = Math.floor(clock.nowMs() / 1_000)
    const ignores = ignorePerms || !tree.announcesPermissions
    return { nowS, ...counting, ignorePerms: ignores, localFlags: this.#localFlags }
  }

  get #localFlags(): number {
    return FOLDER_POLICIES[this.#parts.folder.type].localChangesStayHere ? FLAG_RECEIVE_ONLY : 0
  }
}

/** The item that our record has now. */
export function itemOf(local: FileHead | undefined): PastItem | undefined {
  return pastItem(local, local?.blocksHash === undefined ? '' : hashText(local.blocksHash))
}
