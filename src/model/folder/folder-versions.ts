import { TwinfoldError } from '../../core/errors.ts'
import type { FolderConfig } from '../../core/config/config.ts'
import type { Versioner, VersionerDeps } from '../../versioner/types.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'

export interface FolderVersionsDeps extends Omit<VersionerDeps, 'log'> {
  logger(facility: 'versioner'): VersionerDeps['log']
}

export interface FolderVersionsOptions {
  readonly folder: FolderConfig
  readonly root: string
  readonly userHome: string
}

/** The old versions of one folder's files. The versioner is only loaded for folders that keep versions. */
export class FolderVersions {
  readonly #deps: VersionerDeps
  readonly #options: FolderVersionsOptions
  readonly #isKept: boolean
  #versioner: Promise<Versioner | undefined> | undefined

  constructor(
    { disk, clock, programs, logger }: FolderVersionsDeps,
    { folder, root, userHome }: FolderVersionsOptions,
  ) {
    this.#deps = { disk, clock, programs, log: logger('versioner') }
    this.#options = { folder, root, userHome }
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

  /** Rejects with `folder-error` where no versions are kept. */
  async require(): Promise<Versioner> {
    const versioner = await this.versioner()
    if (versioner === undefined) throw new TwinfoldError('folder-error', 'folder has no versioner')
    return versioner
  }

  async clean(signal: AbortSignal): Promise<void> {
    await (await this.versioner())?.clean(signal)
  }
}
