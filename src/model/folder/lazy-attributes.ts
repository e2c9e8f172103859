import type { FolderConfig } from '../../core/config/config.ts'
import type { FolderAttributes, FolderAttributesDeps, FolderAttributesOptions } from '../tree/attributes.ts'
import { FOLDER_POLICIES } from '../state/folder-policy.ts'

/** The extended attributes of one folder's items; loaded on first use, because few folders synchronize them. */
export class LazyAttributes {
  /** They are read and announced. */
  readonly areAnnounced: boolean
  /** Received ones are set. */
  readonly areSet: boolean
  readonly #deps: FolderAttributesDeps
  readonly #options: Omit<FolderAttributesOptions, 'synced'>
  #loaded: Promise<FolderAttributes> | undefined

  constructor(
    deps: FolderAttributesDeps & { readonly platform: string },
    options: Omit<FolderAttributesOptions, 'synced'> & { readonly folder: FolderConfig },
  ) {
    const { sendXattrs, syncXattrs, type } = options.folder
    const { ignoresPermissions, takesFiles } = FOLDER_POLICIES[type]
    const isPossible = deps.platform === 'linux' && !ignoresPermissions
    this.areAnnounced = isPossible && (sendXattrs || syncXattrs)
    this.areSet = isPossible && syncXattrs && takesFiles
    this.#deps = deps
    this.#options = options
  }

  async load(): Promise<FolderAttributes> {
    const options = { ...this.#options, synced: this.areSet }
    this.#loaded ??= import('../tree/attributes.ts').then(
      ({ FolderAttributes }) => new FolderAttributes(this.#deps, options),
    )
    return await this.#loaded
  }
}
