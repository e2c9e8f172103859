import { AppliedSetupFile } from '../config/applied-setup.ts'
import { SetupApplier, type SetupIgnores } from '../config/setup.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import type { FolderId } from '../core/ids.ts'
import { viewIgnores, writeIgnores } from '../model/folder/ignore-file.ts'
import type { Model } from '../model/model.ts'
import type { DeviceBase } from './device-base.ts'

const NEW_DIRECTORY = 0o777

/** Ignore patterns of folders, also before there is a model. */
class FolderIgnores implements SetupIgnores {
  readonly #base: DeviceBase
  model: Model | undefined

  constructor(base: DeviceBase) {
    this.#base = base
  }

  async read(folder: FolderId): Promise<readonly string[] | undefined> {
    const root = this.#root(folder)
    if (root === undefined) return undefined
    const { ignore, error } = await viewIgnores(this.#base.platform.disk, root)
    return ignore ?? (error === null ? [] : undefined)
  }

  async write(folder: FolderId, lines: readonly string[], isNew: boolean): Promise<void> {
    const { disk } = this.#base.platform
    const root = this.#root(folder)
    if (root === undefined) return
    if (isNew) await disk.makeDirectories(root, NEW_DIRECTORY)
    if (this.model === undefined) await writeIgnores(disk, root, lines)
    else await this.model.setIgnores(folder, lines)
  }

  #root(folder: FolderId): string | undefined {
    const { config, options } = this.#base
    const found = config.current.folders.find(({ id }) => id === folder)
    return found === undefined ? undefined : folderRoot(found, options.locations.userHome)
  }
}

export interface DeviceSetup {
  readonly applier: SetupApplier
  /** To be called when there is one. */
  use(model: Model): void
}

/** Applies the file of the start, and those that are sent later. */
export async function openSetup(base: DeviceBase): Promise<DeviceSetup> {
  const { platform, options, config, extensions, grants, passwords, identity, startSetup, logger } = base
  const ignores = new FolderIgnores(base)
  const record = new AppliedSetupFile(platform.disk, options.locations.appliedSetupFile)
  const applier = new SetupApplier(
    { config, extensions, grants, passwords, record, ignores, log: logger('config') },
    { ownDevice: identity.deviceId, hostName: platform.system.hostName },
  )
  if (startSetup !== undefined) await applier.applyAtStart(startSetup)
  return { applier, use: (model) => void (ignores.model = model) }
}
