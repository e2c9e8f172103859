import { join } from 'node:path'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import { importFolder, type ImportDeps, type ImportOptions } from './import-folder.ts'
import { readImportState, writeImportState } from './import-state.ts'
import { findSource, type IndexSource } from './source.ts'
import type { ForeignExtras, SyncthingIndex } from './types.ts'

export interface ImportResult {
  /** Imported anew by this call. */
  readonly imported: boolean
  /** Undefined unless imported, or where they cannot be read. */
  readonly extras?: ForeignExtras
  /** Folders whose index cannot be read, with the reason. */
  readonly failed: ReadonlyMap<FolderId, TwinfoldError>
}

const NOTHING: ImportResult = { imported: false, failed: new Map() }

/**
 * Imports the index of a Syncthing that used this home, unless that was done, or was declined, for its current state:
 * when Syncthing has run since, its index replaces ours. To be called before a folder is used. After an interruption at
 * any moment the next call continues.
 */
export async function importSyncthingIndex(deps: ImportDeps, options: ImportOptions): Promise<ImportResult> {
  const { disk, store, log } = deps
  const { databaseDirectory } = options
  const source = await findSource(disk, sourceOptions(options))
  if (source === undefined) return NOTHING
  const known = await readImportState(disk, databaseDirectory)
  if (known?.source === source.fingerprint && known.state !== 'running') return NOTHING
  if (known === undefined && (await store.folders()).length > 0) {
    log.info(`the index of Syncthing in ${source.directory} is not imported, because there is one of Twinfold`)
    await writeImportState(disk, databaseDirectory, { source: source.fingerprint, state: 'declined' })
    return NOTHING
  }
  log.info(`importing the index of Syncthing ${source.version} from ${source.directory}${choiceText(source)}`)
  await writeImportState(disk, databaseDirectory, { source: source.fingerprint, state: 'running' })
  const result = await importFrom(deps, source, options)
  if (result.failed.size > 0) return result
  await writeImportState(disk, databaseDirectory, { source: source.fingerprint, state: 'done' })
  return result
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

async function importFrom(deps: ImportDeps, source: IndexSource, options: ImportOptions): Promise<ImportResult> {
  const failed = new Map<FolderId, TwinfoldError>()
  let index: SyncthingIndex
  try {
    index = await source.open()
  } catch (error) {
    for (const { id } of options.folders) failed.set(id, refusalOf(error, source))
    return { imported: true, failed }
  }
  await using _index = index
  for (const folder of options.folders) {
    options.signal.throwIfAborted()
    if (!index.folders.includes(folder.id)) continue
    try {
      await importFolder(deps, { index, folder, source: source.fingerprint, ...options })
    } catch (error) {
      options.signal.throwIfAborted()
      failed.set(folder.id, refusalOf(error, source))
    }
  }
  return { imported: true, failed, ...(await readExtras(deps, index)) }
}

/** Only for display: they are not worth a failure. */
async function readExtras({ log }: ImportDeps, index: SyncthingIndex): Promise<Pick<ImportResult, 'extras'>> {
  try {
    return { extras: await index.extras() }
  } catch (error) {
    log.warn(`the statistics of Syncthing could not be read: ${messageOf(error)}`)
    return {}
  }
}

/** Errors of our own database are returned as they are. */
function refusalOf(error: unknown, { version, directory }: IndexSource): TwinfoldError {
  const message =
    `the index of Syncthing ${version} in ${directory} cannot be read (${messageOf(error)}). Without it, files that ` +
    'were deleted may return and files that were edited may get conflict copies. Either start Syncthing once, which ' +
    'repairs or converts its index, stop it, and start Twinfold again; or start Twinfold with --reset-database to ' +
    'go on without it'
  return new TwinfoldError('database-unavailable', message, { cause: error })
}
