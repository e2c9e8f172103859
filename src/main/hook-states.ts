import { join } from 'node:path'
import type { ConfigStore } from '../config/types.ts'
import type { FolderConfig } from '../core/config/config.ts'
import { folderRoot } from '../core/config/folder-root.ts'
import { diskState, ownSync, remoteSync, type FolderFacts, type SyncState } from '../core/hooks/device-states.ts'
import type { Hook } from '../core/hooks/hook.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import { NEVER } from '../core/never.ts'
import { Hooks } from '../hooks/hooks.ts'
import type { HookPlaces, StatesOf } from '../hooks/types.ts'
import type { Model } from '../model/model.ts'
import type { FolderStatus } from '../model/types.ts'
import type { ServeOptions } from './args/options.ts'
import type { DeviceBase } from './device-base.ts'
import type { Network } from './network.ts'

const CONFLICTS_PER_PAGE = 500

interface HookParts {
  readonly model: Model
  readonly network: Network
  /** The one in force, in which a folder that a rule pauses is paused. */
  readonly config: Pick<ConfigStore, 'current'>
}

type Received = Awaited<ReturnType<Model['folderStatistics']>>

/** Where hooks are, and what waits for its delivery. */
export function hookPlaces({ locations }: Pick<ServeOptions, 'locations'>): HookPlaces {
  const { configDirectory, dataDirectory } = locations
  return { file: join(configDirectory, 'twinfold-hooks.json'), directory: join(dataDirectory, 'twinfold-hooks') }
}

/** The hooks of the device, over the states of its folders and devices. */
export async function openHooks(base: DeviceBase, parts: HookParts): Promise<Hooks> {
  const { platform, options, events, logger } = base
  const { clock, random, disk, programs, httpClient: http } = platform
  const log = logger('main')
  return await Hooks.open(
    {
      clock,
      random,
      disk,
      http,
      programs,
      events,
      statesOf: statesOver(base, parts),
      report: (problem) => log.warn(problem),
    },
    hookPlaces(options),
  )
}

function statesOver(base: DeviceBase, { model, network, config }: HookParts): StatesOf {
  const { identity, platform, options } = base
  const conflicts = new ConflictNames(model)

  const factsOf = async (folder: FolderConfig, hooks: readonly Hook[], received: Received): Promise<FolderFacts> => {
    const { id, label, paused, minDiskFree } = folder
    const about = hooks.filter((hook) => hook.folder === undefined || hook.folder === id)
    const status = await statusOf(model, id)
    const isKnown = status !== undefined && status.state !== ''
    const { need } = status?.counts ?? { need: undefined }
    const needItems = need === undefined ? 0 : need.files + need.directories + need.symlinks + need.deleted
    const sync = status === undefined ? 'unknown' : ownSync({ isPaused: paused, state: status.state, needItems })
    const space = about.some(({ on }) => on === 'disk-low')
      ? await platform.disk.space(folderRoot(folder, options.locations.userHome)).catch(() => undefined)
      : undefined
    const isConflictWanted = isKnown && about.some(({ on }) => on === 'conflict')
    return {
      id,
      label,
      sync,
      needItems,
      needBytes: need?.bytes ?? 0,
      remoteSync: await remoteStates(network, folder, about),
      error: paused ? '' : isKnown ? errorText(status) : undefined,
      receivedMs: received.get(id)?.lastFile.atMs ?? 0,
      sequence: status?.sequence ?? 0,
      space: space === undefined ? undefined : diskState(space, minDiskFree),
      conflicts: isConflictWanted ? await conflicts.of(id, status.sequence) : undefined,
      held: isKnown && about.some(({ on }) => on === 'guard-held') ? await heldOf(model, id) : undefined,
    }
  }

  return async (hooks) => {
    const statistics = await network.deviceStatistics()
    const connected = network.connections.status().devices
    const others = config.current.devices.filter(({ deviceID }) => deviceID !== identity.deviceId)
    const folders: FolderFacts[] = []
    const received = await model.folderStatistics()
    for (const folder of config.current.folders) folders.push(await factsOf(folder, hooks, received))
    return {
      folders,
      devices: others.map(({ deviceID: id, name, paused: isPaused }) => ({
        id,
        name,
        isPaused,
        isConnected: connected.has(id),
        lastSeenMs: statistics.get(id)?.lastSeenMs ?? 0,
      })),
    }
  }
}

/** Undefined for a folder that was removed or has not started yet. */
async function statusOf(model: Model, folder: FolderConfig['id']): Promise<FolderStatus | undefined> {
  try {
    return model.statusNow(folder) ?? (await model.status(folder))
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return undefined
    throw error
  }
}

/** Undefined for a folder that does not run any more. */
async function heldOf(model: Model, folder: FolderConfig['id']): Promise<FolderFacts['held']> {
  return await model.guard(folder).then(
    ({ held }) => held,
    () => undefined,
  )
}

function errorText({ state, error, errorCount }: FolderStatus): string {
  if (state === 'error') return error === '' ? 'the folder stopped' : error
  return errorCount === 0 ? '' : errorCount === 1 ? '1 item failed' : `${errorCount} items failed`
}

/** Only of the devices that hooks name: the need of each has to be counted. */
async function remoteStates(
  { completions }: Network,
  { id, devices, paused }: FolderConfig,
  hooks: readonly Hook[],
): Promise<ReadonlyMap<string, SyncState>> {
  const wanted = new Set(hooks.filter(({ on }) => on !== 'device-away').map(({ device }) => device))
  const shared = paused ? [] : devices.filter(({ deviceID }) => wanted.has(deviceID))
  const states = new Map<DeviceId, SyncState>()
  for (const { deviceID } of shared) {
    const completion = await completions.completion(id, deviceID).catch(() => undefined) // paused or removed meanwhile
    if (completion !== undefined) states.set(deviceID, remoteSync(completion))
  }
  return states
}

/** The names of all conflict copies, read again only when the index has changed. */
class ConflictNames {
  readonly #model: Model
  readonly #known = new Map<string, { readonly sequence: number; readonly names: readonly string[] }>()

  constructor(model: Model) {
    this.#model = model
  }

  async of(folder: FolderConfig['id'], sequence: number): Promise<readonly string[] | undefined> {
    const known = this.#known.get(folder)
    if (known?.sequence === sequence) return known.names
    const names = await this.#read(folder).catch(() => undefined) // not running any more
    if (names !== undefined) this.#known.set(folder, { sequence, names })
    return names
  }

  async #read(folder: FolderConfig['id']): Promise<readonly string[]> {
    const explorer = await this.#model.explorer()
    const names: string[] = []
    for (let page = 1; ; page++) {
      const paging = { page, perPage: CONFLICTS_PER_PAGE }
      const { total, items } = await explorer.conflicts(folder, paging, NEVER)
      for (const { name } of items) names.push(name)
      if (page * CONFLICTS_PER_PAGE >= total) return names
    }
  }
}
