import { join } from 'node:path'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { importFolder, type ImportDeps, type ImportedFolder, type ImportOptions } from './import-folder.ts'
import { readImportState, writeImportState } from './import-state.ts'
import { findSource, type IndexSource } from './source.ts'
import type { ForeignExtras, SyncthingIndex } from './types.ts'

/** How far an import is, for display. */
export interface ImportStatus {
  readonly version: IndexSource['version']
  /** The folder being imported, and its place among all of them, from 1. */
  readonly folder: FolderId | undefined
  readonly folderNumber: number
  readonly folderCount: number
  /** Of this folder; the total is about right. */
  readonly items: number
  readonly totalItems: number
}

/**
 * The import of the index of a Syncthing that used this home, to be run before a folder is used; undefined if that was
 * done, or was declined, for its current state: when Syncthing has run since, its index replaces ours.
 */
export async function prepareImport(deps: ImportDeps, options: ImportOptions): Promise<IndexImport | undefined> {
  const { disk, store, log } = deps
  const { databaseDirectory } = options
  const source = await findSource(disk, sourceOptions(options))
  if (source === undefined) return undefined
  const known = await readImportState(disk, databaseDirectory)
  if (known?.source === source.fingerprint && known.state !== 'running') return undefined
  if (known === undefined && (await store.folders()).length > 0) {
    log.info(`the index of Syncthing in ${source.directory} is not imported, because there is one of Twinfold`)
    await writeImportState(disk, databaseDirectory, { source: source.fingerprint, state: 'declined' })
    return undefined
  }
  log.info(`importing the index of Syncthing ${source.version} from ${source.directory}${choiceText(source)}`)
  await writeImportState(disk, databaseDirectory, { source: source.fingerprint, state: 'running' })
  return IndexImport.open(deps, source, options)
}

/** An import that has begun. After an interruption at any moment the next one continues. */
export class IndexImport implements AsyncDisposable {
  /** Undefined where they cannot be read. */
  readonly extras: ForeignExtras | undefined
  readonly #deps: ImportDeps
  readonly #source: IndexSource
  readonly #options: ImportOptions
  readonly #index: SyncthingIndex | TwinfoldError
  #status: ImportStatus

  private constructor(
    deps: ImportDeps,
    source: IndexSource,
    options: ImportOptions,
    read: { readonly index: SyncthingIndex | TwinfoldError; readonly extras?: ForeignExtras },
  ) {
    this.#deps = deps
    this.#source = source
    this.#options = options
    this.#index = read.index
    this.extras = read.extras
    const folderCount = options.folders.length
    this.#status = { version: source.version, folder: undefined, folderNumber: 0, folderCount, items: 0, totalItems: 0 }
  }

  static async open(deps: ImportDeps, source: IndexSource, options: ImportOptions): Promise<IndexImport> {
    let index: SyncthingIndex
    try {
      index = await source.open()
    } catch (error) {
      return new IndexImport(deps, source, options, { index: refusalOf(error, source) })
    }
    return new IndexImport(deps, source, options, { index, ...(await readExtras(deps, index)) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!(this.#index instanceof TwinfoldError)) await this.#index[Symbol.asyncDispose]()
  }

  get status(): ImportStatus {
    return this.#status
  }

  /** The folders whose index cannot be read, with the reason. Rejects when the signal aborts. */
  async run(signal: AbortSignal): Promise<ReadonlyMap<FolderId, TwinfoldError>> {
    const { folders, databaseDirectory } = this.#options
    const index = this.#index
    if (index instanceof TwinfoldError) return new Map(folders.map(({ id }) => [id, index]))
    const failed = new Map<FolderId, TwinfoldError>()
    for (const [place, folder] of folders.entries()) {
      signal.throwIfAborted()
      this.#status = { ...this.#status, folder: folder.id, folderNumber: place + 1, items: 0, totalItems: 0 }
      try {
        if (index.folders.includes(folder.id)) await this.#import(index, folder, signal)
      } catch (error) {
        signal.throwIfAborted()
        failed.set(folder.id, refusalOf(error, this.#source))
      }
    }
    if (failed.size > 0) return failed
    await writeImportState(this.#deps.disk, databaseDirectory, { source: this.#source.fingerprint, state: 'done' })
    return failed
  }

  #import(index: SyncthingIndex, folder: ImportedFolder, signal: AbortSignal): Promise<void> {
    return importFolder(this.#deps, {
      index,
      folder,
      source: this.#source.fingerprint,
      ownShortId: this.#options.ownShortId,
      signal,
      report: (items, totalItems) => {
        this.#status = { ...this.#status, items, totalItems }
      },
    })
  }
}

/** Notes that a new index is wanted instead of the one of Syncthing. */
export async function declineImport(
  disk: Disk,
  options: Pick<ImportOptions, 'dataDirectory' | 'databaseDirectory'>,
): Promise<void> {
  const source = await findSource(disk, sourceOptions(options))
  if (source === undefined) return
  await writeImportState(disk, options.databaseDirectory, { source: source.fingerprint, state: 'declined' })
}

function sourceOptions({
  dataDirectory,
  databaseDirectory,
}: Pick<ImportOptions, 'dataDirectory' | 'databaseDirectory'>) {
  return { dataDirectory, scratch: join(databaseDirectory, 'import') }
}

function choiceText({ choice }: IndexSource): string {
  return choice === undefined ? '' : ` (${choice})`
}

/** Only for display: they are not worth a failure. */
async function readExtras({ log }: ImportDeps, index: SyncthingIndex): Promise<{ extras?: ForeignExtras }> {
  try {
    return { extras: await index.extras() }
  } catch (error) {
    log.warn(`the statistics of Syncthing could not be read: ${messageOf(error)}`)
    return {}
  }
}

function refusalOf(error: unknown, { version, directory }: IndexSource): TwinfoldError {
  const message =
    `the index of Syncthing ${version} in ${directory} cannot be read (${messageOf(error)}). Without it, files that ` +
    'were deleted may return and files that were edited may get conflict copies. Either start Syncthing once, which ' +
    'repairs or converts its index, stop it, and start Twinfold again; or run Twinfold with --reset-database once, ' +
    'and start it again, to go on without it'
  return new TwinfoldError('database-unavailable', message, { cause: error })
}
