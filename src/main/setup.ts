import { AppliedSetupFile } from '../config/applied-setup.ts'
import { SetupApplier, type SetupHooks, type SetupIgnores } from '../config/setup.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import { makeHook, type Hook, type NewHook } from '../core/hooks/hook.ts'
import type { FolderId } from '../core/ids.ts'
import { HookFiles } from '../hooks/hook-files.ts'
import type { HooksView } from '../hooks/types.ts'
import { viewIgnores, writeIgnores } from '../model/folder/ignore-file.ts'
import type { Model } from '../model/model.ts'
import { randomText } from '../platform/random.ts'
import type { DeviceBase } from './device-base.ts'
import { hookPlaces } from './hook-states.ts'

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

const HOOK_ID_LENGTH = 32

/** The hooks, in their file until they run. */
class DeviceHooks implements SetupHooks {
  readonly #base: DeviceBase
  readonly #files: HookFiles
  view: HooksView | undefined

  constructor(base: DeviceBase) {
    this.#base = base
    this.#files = new HookFiles(base.platform.disk, hookPlaces(base.options))
  }

  async all(): Promise<readonly Hook[]> {
    return this.view?.all().map(({ hook }) => hook) ?? (await this.#files.readHooks())
  }

  async replace(name: string, wanted: NewHook | undefined): Promise<void> {
    const { view } = this
    const others = (await this.all()).filter((hook) => hook.name !== name)
    if (view === undefined) {
      const { clock, random } = this.#base.platform
      const made = { id: randomText(random, HOOK_ID_LENGTH), createdMs: clock.nowMs() }
      await this.#files.writeHooks(wanted === undefined ? others : [...others, makeHook(others, wanted, made)])
      return
    }
    if (view.all().length > others.length) await view.remove(name)
    if (wanted !== undefined) await view.add(wanted)
  }
}

export interface DeviceSetup {
  readonly applier: SetupApplier
  /** To be called when there is one. */
  use(model: Model): void
  useHooks(hooks: HooksView): void
}

/** Applies the file of the start, and those that are sent later. */
export async function openSetup(base: DeviceBase): Promise<DeviceSetup> {
  const { platform, options, config, extensions, grants, passwords, identity, startSetup, logger } = base
  const ignores = new FolderIgnores(base)
  const hooks = new DeviceHooks(base)
  const record = new AppliedSetupFile(platform.disk, options.locations.appliedSetupFile)
  const applier = new SetupApplier(
    { config, extensions, grants, passwords, record, ignores, hooks, log: logger('config') },
    { ownDevice: identity.deviceId, hostName: platform.system.hostName },
  )
  if (startSetup !== undefined) await applier.applyAtStart(startSetup)
  return {
    applier,
    use: (model) => void (ignores.model = model),
    useHooks: (view) => void (hooks.view = view),
  }
}
