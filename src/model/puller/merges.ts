import { shortIdText } from '../../core/device-id.ts'
import { mergeContents, type MergeResult, type MergeSides } from '../../core/merge/merge-contents.ts'
import { mergedRecord } from '../../core/merge/merged-record.ts'
import type { MergeRules } from '../../core/merge/rules.ts'
import { MERGE_SIZE_BYTES_MAX } from '../../core/merge/text.ts'
import { isConflictName } from '../../core/paths.ts'
import { blocksHashOf, hashBlocks } from '../../core/records/blocks.ts'
import { isInvalid, withDiskState, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import type { Counting } from '../../core/records/version-vector.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import { readSmall } from '../../platform/files/read-small.ts'
import type { Obtained } from '../content/contents.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'
import type { ConflictCandidates } from '../state/conflict-candidates.ts'
import type { MergeBases } from '../state/merge-bases.ts'
import type { FileContent } from '../tree/content.ts'
import type { PullParts } from './pull-parts.ts'

/** What merges of one folder need. */
export interface MergeSources {
  readonly bases: MergeBases
  readonly candidates: ConflictCandidates
  /** As of now: the settings may change while the folder runs. */
  rules(): MergeRules
  /** Runs the merge program of a file; undefined where it fails. */
  runProgram(command: readonly string[], sides: MergeSides, name: string, signal: AbortSignal): Promise<MergeResult>
  /** Content of a file that was pulled, while it is in memory. */
  pulled(record: FileHead, content: Uint8Array): void
}

export interface MergesDeps extends Pick<PullParts, 'clock' | 'folder' | 'log' | 'records' | 'tree'> {
  readonly merging: MergeSources
  readonly counts: { readonly counting: Counting }
}

/** A file of ours, and the version of it that wins. */
export interface MergedSides {
  readonly local: FileHead
  readonly global: FileInfo
}

/** Merges conflicting edits, where the folder is set to it. The caller must hold the lock shared. */
export class Merges {
  readonly #deps: MergesDeps
  readonly #signal: AbortSignal

  constructor(deps: MergesDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  /** Merges may be made: a merged file is a change of ours. */
  get isOn(): boolean {
    const { announcesChanges, takesFiles } = FOLDER_POLICIES[this.#deps.folder.type]
    return announcesChanges && takesFiles && this.#deps.merging.rules().mode === 'on'
  }

  /**
   * Puts the merge of our file and the winner in place of both. `theirs`: ours has no change that the winner lacks.
   * `none`: they cannot be merged, and nothing was changed.
   */
  async merge(theirs: Obtained, sides: MergedSides): Promise<'merged' | 'theirs' | 'none'> {
    const { local, global } = sides
    const { bases } = this.#deps.merging
    if (!this.isOn || isConflictName(global.name) || !isMergeable(local) || !isMergeable(global)) return 'none'
    const base = await bases.find(global.name, [local.version, global.version])
    if (base === undefined) return 'none'
    const [left, right] = [await this.read(local), await contentOf(theirs, global)]
    if (left === undefined || right === undefined) return 'none'
    const result = await this.contents({ base, left, right }, global.name)
    if (!('content' in result)) {
      this.#deps.log.debug(() => `${this.#named(global.name)} is not merged: ${result.reason}`)
      return 'none'
    }
    if (Buffer.compare(result.content, right) === 0) return 'theirs'
    await theirs.discard()
    await this.put(sides, result.content)
    const [us, them] = [local, global].map(({ modifiedBy }) => shortIdText(modifiedBy))
    this.#deps.log.info(`${this.#named(global.name)}: conflicting edits of ${us} and ${them} were merged`)
    return 'merged'
  }

  async contents(sides: MergeSides, name: string): Promise<MergeResult> {
    return await mergeByRules(this.#deps.merging, sides, name, this.#signal)
  }

  /** The content of a small file of ours; undefined where it is not the recorded one. */
  async read(record: FileHead): Promise<Uint8Array | undefined> {
    const { tree } = this.#deps
    await tree.check(record.name, record)
    await using file = await tree.openToRead(record.name)
    const content = await readSmall(file, record.sizeBytes)
    return content !== undefined && isContentOf(content, record) ? content : undefined
  }

  /** Replaces our file, which becomes an old version, and records the merged one. */
  async put(sides: MergedSides, content: Uint8Array): Promise<void> {
    const { clock, counts, records, tree } = this.#deps
    const nowS = Math.floor(clock.nowMs() / 1_000)
    const record = mergedRecord(sides, content, { nowS, ...counts.counting })
    const { name } = record
    await tree.prepare(name, sides.local)
    await tree.temporaries.removeIfThere(name)
    await using file = await tree.temporaries.create(record)
    const close = () => file.close()
    const made: FileContent = { kind: 'file', file, isFresh: true, trailerBytes: undefined, sealed: undefined, close }
    try {
      await file.write(content, 0)
      const state = await tree.put(made, { global: record, local: sides.local, saveOurs: false })
      if (state === undefined) throw itemFailed('the merged file could not be put')
      records.addMade(withDiskState(record, state), sides.local)
    } catch (error) {
      await tree.temporaries.discard(name, made).catch(() => {}) // the first error is reported
      throw error
    }
  }

  #named(name: string): string {
    return `folder ${this.#deps.folder.id}: ${JSON.stringify(name)}`
  }
}

/** Merges contents by the program for this name, or by lines. The order of the sides does not matter. */
export async function mergeByRules(
  merging: Pick<MergeSources, 'rules' | 'runProgram'>,
  sides: MergeSides,
  name: string,
  signal: AbortSignal,
): Promise<MergeResult> {
  const rules = merging.rules()
  const command = rules.commandFor(name)
  if (command === undefined) return mergeContents(sides, { union: rules.isUnion(name) })
  // Programs may prefer a side: it is the same one on all devices.
  const { base, left, right } = sides
  const ordered = Buffer.compare(left, right) <= 0 ? sides : { base, left: right, right: left }
  return await merging.runProgram(command, ordered, name, signal)
}

export function isMergeable(record: FileHead): boolean {
  const { deleted, encrypted, sizeBytes, type } = record
  return (
    type === 'file' && !deleted && !isInvalid(record) && encrypted === undefined && sizeBytes <= MERGE_SIZE_BYTES_MAX
  )
}

export function isContentOf(content: Uint8Array, { blocksHash, blockSizeBytes, sizeBytes }: FileHead): boolean {
  if (blocksHash === undefined || blockSizeBytes === 0 || content.length !== sizeBytes) return false
  return Buffer.compare(blocksHashOf(hashBlocks(content, blockSizeBytes)), blocksHash) === 0
}

async function contentOf(obtained: Obtained, { sizeBytes }: FileHead): Promise<Uint8Array | undefined> {
  if (obtained.kind === 'file') return await readSmall(obtained.file, sizeBytes)
  // The memory is used for another block later.
  return obtained.data.length === sizeBytes ? Buffer.from(obtained.data) : undefined
}
