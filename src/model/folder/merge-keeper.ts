import type { MergeRules } from '../../core/merge/rules.ts'
import type { MergeResult, MergeSides } from '../../core/merge/merge-contents.ts'
import { textOf } from '../../core/merge/text.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import { messageOf } from '../../core/errors.ts'
import { isConflictName, joinPath } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import type { FolderIndex, NewBase } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { readSmall } from '../../platform/files/read-small.ts'
import { isContentOf, mergeByRules, type MergeSources } from '../puller/merges.ts'
import { ConflictCandidates } from '../state/conflict-candidates.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { MergeBases } from '../state/merge-bases.ts'
import { mergeOffer, type MergeOffer } from './merge-offer.ts'
import type { MergeProgram } from './merge-program.ts'

/** Bytes of pulled contents that wait to be stored; more of them are read from the disk. */
const PULLED_BYTES_MAX = 4 * 1_024 * 1_024
/** Bytes of bases that are stored in one step. */
const STORED_AT_ONCE_BYTES = 512 * 1_024

export interface MergeKeeperDeps {
  readonly bases: MergeBases
  readonly disk: Pick<Disk, 'open'>
  readonly log: Logger
  readonly program: MergeProgram
  rules(): MergeRules
  index(): Promise<FolderIndex>
}

export interface MergeKeeperOptions {
  readonly folder: FolderConfig
  readonly root: string
}

/** Keeps the bases of a folder's merges: each version of a small text that another device has, too. */
export class MergeKeeper implements MergeSources {
  readonly bases: MergeBases
  readonly candidates = new ConflictCandidates()
  readonly #deps: MergeKeeperDeps
  readonly #options: MergeKeeperOptions
  readonly #pulled = new Map<string, { readonly record: FileHead; readonly content: Uint8Array }>()
  #pulledBytes = 0
  #wasEnabled = false
  #last: Promise<void> = Promise.resolve()

  constructor(deps: MergeKeeperDeps, options: MergeKeeperOptions) {
    this.bases = deps.bases
    this.#deps = deps
    this.#options = options
  }

  rules(): MergeRules {
    return this.#deps.rules()
  }

  runProgram(command: readonly string[], sides: MergeSides, name: string, signal: AbortSignal): Promise<MergeResult> {
    return this.#deps.program.run(command, sides, name, signal)
  }

  /** The folder merges, or offers that. An encrypted one has no texts. */
  get isEnabled(): boolean {
    return FOLDER_POLICIES[this.#options.folder.type].keepsConflicts && this.rules().mode !== 'off'
  }

  pulled(record: FileHead, content: Uint8Array): void {
    if (!this.isEnabled || this.#pulledBytes + content.length > PULLED_BYTES_MAX) return
    this.#pulledBytes += content.length
    this.#pulled.set(record.name, { record, content: Uint8Array.from(content) })
  }

  /** Records of ours were stored. */
  stored(records: readonly FileHead[]): void {
    if (this.isEnabled) this.candidates.note(records)
  }

  /** Stores what another device has, too, since the last time. Never rejects. */
  update(signal: AbortSignal): Promise<void> {
    const isEnabled = this.isEnabled
    // Of a folder that never merges nothing is looked for.
    if (!isEnabled && !this.#wasEnabled) return this.#last
    this.#wasEnabled = isEnabled
    this.#last = this.#last.then(() => (isEnabled ? this.#update(signal) : this.bases.drop()))
    return this.#last
  }

  async #update(signal: AbortSignal): Promise<void> {
    const { log, bases } = this.#deps
    try {
      const { records } = await this.#deps.index()
      const { shared, concurrent } = await records.takeMet()
      await this.#storeAll(shared, signal)
      for (const { local, remote } of concurrent) await bases.noteConflict(local, remote)
    } catch (error) {
      if (!signal.aborted) log.debug(() => `folder ${this.#options.folder.id}: no bases: ${messageOf(error)}`)
    } finally {
      this.#pulled.clear()
      this.#pulledBytes = 0
    }
  }

  /** What is offered for a conflict copy. */
  async offer(name: string, signal: AbortSignal): Promise<MergeOffer> {
    const merge = (sides: MergeSides, file: string) => mergeByRules(this, sides, file, signal)
    const sources = { bases: this.bases, index: () => this.#deps.index(), merge }
    return await mergeOffer({ ...sources, read: (record) => this.#read(record) }, name)
  }

  async #storeAll(shared: readonly FileHead[], signal: AbortSignal): Promise<void> {
    let batch: NewBase[] = []
    let bytes = 0
    for (const record of shared) {
      signal.throwIfAborted()
      const content = isConflictName(record.name) ? undefined : await this.#contentOf(record)
      if (content === undefined) continue
      batch.push({ name: record.name, version: record.version, content })
      bytes += content.length
      if (bytes < STORED_AT_ONCE_BYTES) continue
      await this.bases.put(batch)
      batch = []
      bytes = 0
    }
    if (batch.length > 0) await this.bases.put(batch)
  }

  /** Undefined for what is stored already, is no text, or was changed since. */
  async #contentOf(record: FileHead): Promise<Uint8Array | undefined> {
    if (await this.bases.has(record)) return undefined
    const pulled = this.#pulled.get(record.name)
    const isPulled = pulled !== undefined && compareVersions(pulled.record.version, record.version) === 'equal'
    const content = isPulled ? pulled.content : await this.#read(record)
    if (content === undefined) return undefined
    const isUsable = textOf(content) !== undefined || this.rules().commandFor(record.name) !== undefined
    return isUsable ? content : undefined
  }

  async #read(record: FileHead): Promise<Uint8Array | undefined> {
    const path = joinPath(this.#options.root, record.name)
    try {
      await using file = await this.#deps.disk.open(path, 'read')
      const content = await readSmall(file, record.sizeBytes)
      return content !== undefined && isContentOf(content, record) ? content : undefined
    } catch {
      return undefined // gone or changed: the next version may be a base
    }
  }
}
