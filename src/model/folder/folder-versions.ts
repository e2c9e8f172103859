import { TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import type { Versioner, VersionerDeps, VersionerOptions } from '../../versioner/types.ts'
import { PastVersions } from '../../versioner/past-versions.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'

export interface FolderVersionsDeps extends Omit<VersionerDeps, 'log'> {
  logger(facility: 'versioner'): VersionerDeps['log']
}

export interface FolderVersionsOptions {
  readonly folder: FolderConfig
  readonly root: string
  readonly userHome: string
  /** The share of the disk that old versions may have; 0 is unlimited. */
  versionsPercentMax(): number
  /** Whether no old version may be removed at the moment. */
  isFrozen(): boolean
}

/** The old versions of one folder's files. The versioner is only loaded for folders that keep versions. */
export class FolderVersions {
  readonly #deps: VersionerDeps
  readonly #options: VersionerOptions
  readonly #isKept: boolean
  #versioner: Promise<Versioner | undefined> | undefined
  #forRewind: Promise<Versioner> | undefined

  constructor({ disk, clock, programs, logger }: FolderVersionsDeps, options: FolderVersionsOptions) {
    this.#deps = { disk, clock, programs, log: logger('versioner') }
    const { folder } = options
    this.#options = options
    this.#isKept = folder.versioning.type !== '' && FOLDER_POLICIES[folder.type].takesFiles
  }

  get cleanIntervalMs(): number {
    return this.#isKept ? this.#options.folder.versioning.cleanupIntervalS * 1_000 : 0
  }

  async versioner(): Promise<Versioner | undefined> {
    if (!this.#isKept) return undefined
    this.#versioner ??= import('../../versioner/versioner.ts').then(({ createVersioner }) =>
      createVersioner(this.#deps, this.#options),
    )
    return await this.#versioner
  }

  /** Where a rewind keeps what it replaces: the versions of the folder, or a trash can. */
  async forRewind(): Promise<Versioner> {
    this.#forRewind ??= this.#makeForRewind()
    return await this.#forRewind
  }

  async #makeForRewind(): Promise<Versioner> {
    const { folder } = this.#options
    const { versioning } = folder
    const own = versioning.type === 'external' ? undefined : await this.versioner()
    if (own !== undefined) return own
    const { createVersioner } = await import('../../versioner/versioner.ts')
    const trashCan = { ...folder, versioning: { ...versioning, type: 'trashcan', params: { cleanoutDays: '0' } } }
    const made = createVersioner(this.#deps, { ...this.#options, folder: trashCan })
    if (made === undefined) throw new TwinfoldError('folder-error', 'folder has no versioner')
    return made
  }

  /** Of the versions directory, to be read. */
  past(): PastVersions {
    return new PastVersions(this.#deps.disk, this.#options)
  }

  /** Rejects with `folder-error` where no versions are kept. */
  async require(): Promise<Versioner> {
    const versioner = await this.versioner()
    if (versioner === undefined) throw new TwinfoldError('folder-error', 'folder has no versioner')
    return versioner
  }

  /** Whether a clean-up may find anything. A folder at rest must not wake its disk. */
  async isCleanDue(): Promise<boolean> {
    return (await this.versioner())?.isCleanDue ?? false
  }

  async clean(signal: AbortSignal): Promise<void> {
    await (await this.versioner())?.clean(signal)
  }
}
