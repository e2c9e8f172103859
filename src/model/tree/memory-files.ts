import { joinPath, parentOf } from '../../core/paths.ts'
import { diskStampOf } from '../../core/records/disk-stamp.ts'
import type { DiskState, FileHead, FileInfo } from '../../core/records/file-info.ts'
import type { FileMaker, FileOrder, ReplacedFile } from '../../platform/file-maker.ts'
import { diskReason, withRemedy } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { Asides } from './asides.ts'
import type { MemoryContent } from './content.ts'
import type { ItemCheck } from './item-check.ts'
import type { Metadata } from './metadata.ts'
import type { TemporaryFiles } from './temporary-files.ts'
import type { TreeDisk } from './tree-disk.ts'

/** Errors that a temporary file handles: a missing or read-only directory, a leftover, an unexpected item. */
const NOT_IN_ONE_STEP: ReadonlySet<string | undefined> = new Set([
  'EEXIST',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  undefined,
])

/** A file that is new here, and its content. */
export interface NewFile extends Pick<MemoryContent, 'data' | 'hash'> {
  readonly global: FileInfo
}

/** What a file from memory becomes. */
interface NextFile {
  readonly global: FileInfo
  readonly local: FileHead | undefined
  readonly saveOurs: boolean
}

interface MemoryFilesParts {
  readonly tree: TreeDisk
  readonly check: ItemCheck
  readonly asides: Asides
  readonly temporaries: TemporaryFiles
  readonly metadata: Metadata
  readonly fileMaker: FileMaker
}

interface MemoryFilesOptions {
  readonly keepsVersions: boolean
  readonly fsync: boolean
}

/** Makes files of content in memory, each in one step in a thread: written, synced and renamed. */
export class MemoryFiles {
  readonly #parts: MemoryFilesParts
  readonly #options: MemoryFilesOptions

  constructor(parts: MemoryFilesParts, options: MemoryFilesOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** Resolves with the state on disk; undefined, with nothing changed, where a temporary file is needed. */
  async put(content: MemoryContent, { global, local, saveOurs }: NextFile): Promise<DiskState | undefined> {
    const { asides, fileMaker, tree } = this.#parts
    if (saveOurs) return undefined
    const { name } = global
    let aside = ''
    let replaces: ReplacedFile | undefined
    if (local !== undefined && !local.deleted) {
      const item = this.#options.keepsVersions ? undefined : await tree.stat(name)
      if (item === undefined || item === 'other' || item.type !== 'file') return undefined
      if (!this.#parts.check.isUntouched(item, local)) return undefined
      aside = asides.newName(name)
      replaces = { ...item, asidePath: tree.path(aside) }
    }
    const realRoot = await tree.parents.realRoot()
    const outcome = await fileMaker.make({ ...this.#orderFor({ ...content, global }, realRoot), replaces })
    if (outcome.kind === 'different') return undefined
    if (outcome.kind === 'failed') {
      if (NOT_IN_ONE_STEP.has(outcome.code)) return undefined
      throw itemFailed(withRemedy(diskReason(outcome.message), outcome.code, tree.platform))
    }
    if (outcome.hasDisplaced === true) await asides.keepDisplaced(name, aside, tree.temporaryOf(name))
    const { modifiedS, modifiedNs } = outcome
    return { modifiedS, modifiedNs, diskStamp: diskStampOf(outcome), trailerBytes: content.trailerBytes }
  }

  /** The same for many new files: undefined for each that must be put by itself. */
  async putNew(files: readonly NewFile[]): Promise<readonly (DiskState | undefined)[]> {
    const realRoot = await this.#parts.tree.parents.realRoot()
    const outcomes = await this.#parts.fileMaker.makeAll(files.map((file) => this.#orderFor(file, realRoot)))
    return outcomes.map((outcome) => {
      if (outcome.kind !== 'made') return undefined
      const { modifiedS, modifiedNs } = outcome
      return { modifiedS, modifiedNs, diskStamp: diskStampOf(outcome) }
    })
  }

  #orderFor({ data, hash, global }: NewFile, realRoot: string): FileOrder {
    const { metadata, temporaries, tree } = this.#parts
    const { name, modifiedS, modifiedNs } = global
    return {
      temporaryPath: temporaries.path(name),
      path: tree.path(name),
      realDirectory: joinPath(realRoot, parentOf(name)),
      data,
      hash,
      openMode: temporaries.modeOf(global),
      mode: metadata.permissionsOf(global),
      modifiedS,
      modifiedNs,
      replaces: undefined,
      sync: this.#options.fsync,
    }
  }
}
