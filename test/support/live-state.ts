import { INITIAL, NO_CONNECTIONS, type FolderLive, type LiveState, type RatePoint } from '../../gui/live/state.ts'
import type { Config, DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import { DEVICE, FOLDER } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { parseFolderId, type DeviceId } from '../../src/core/ids.ts'
import type { DeviceConnectionsJson } from '../../src/rest/cluster.ts'
import type { CompletionJson } from '../../src/rest/completion.ts'
import { newConfig, LOCAL_ID } from './config.ts'

/** The state of a folder in the page: its config, and data of the daemon. */
export interface FolderSketch {
  readonly config?: Partial<FolderConfig>
  readonly status?: Partial<FolderLive['status']>
  readonly completion?: FolderLive['completion']
  readonly errors?: FolderLive['errors']
  /** No data received yet. */
  readonly isUnreported?: boolean
}

export interface StateSketch {
  readonly folders?: Readonly<Record<string, FolderSketch>>
  /** The other devices, and whether they are connected. */
  readonly devices?: readonly {
    readonly id: DeviceId
    readonly connected?: boolean
    readonly config?: Partial<DeviceConfig>
  }[]
  readonly history?: readonly RatePoint[]
  readonly link?: LiveState['link']
}

/** The state of a daemon in the page: idle unless the sketch overrides it. */
export function liveState(sketch: StateSketch = {}): LiveState {
  const devices = sketch.devices ?? []
  const folders = Object.entries(sketch.folders ?? {})
  return {
    ...INITIAL,
    link: sketch.link ?? 'live',
    isComplete: true,
    config: configOf(folders, devices),
    system: { myID: LOCAL_ID } as unknown as NonNullable<LiveState['system']>,
    folders: Object.fromEntries(
      folders.filter(([, { isUnreported }]) => isUnreported !== true).map(([id, folder]) => [id, folderLive(folder)]),
    ),
    connections: {
      ...NO_CONNECTIONS,
      connections: Object.fromEntries(devices.map(({ id, connected = false }) => [id, connection(connected)])),
    },
    history: sketch.history ?? [],
  }
}

function configOf(
  folders: readonly (readonly [string, FolderSketch])[],
  devices: NonNullable<StateSketch['devices']>,
): Config {
  const config = newConfig()
  return {
    ...config,
    devices: [
      { ...defaultsOf(DEVICE), deviceID: LOCAL_ID, name: 'here' },
      ...devices.map(({ id, config: given }) => ({ ...defaultsOf(DEVICE), deviceID: id, ...given })),
    ],
    folders: folders.map(([id, { config: given }]) =>
      folderConfig(id, [LOCAL_ID, ...devices.map((device) => device.id)], given),
    ),
  }
}

export function folderConfig(
  id: string,
  devices: readonly DeviceId[],
  given: Partial<FolderConfig> = {},
): FolderConfig {
  const shared = devices.map((deviceID) => ({ deviceID, introducedBy: '', encryptionPassword: '' }) as const)
  return { ...defaultsOf(FOLDER), id: parseFolderId(id)!, label: id.toUpperCase(), devices: shared, ...given }
}

function folderLive({ status, completion = {}, errors }: FolderSketch): FolderLive {
  const idle = {
    state: 'idle',
    error: '',
    errors: 0,
    pullErrors: 0,
    needBytes: 0,
    needTotalItems: 0,
    receiveOnlyTotalItems: 0,
    globalBytes: 1_000,
  }
  return { status: { ...idle, ...status } as FolderLive['status'], completion, errors }
}

function connection(connected: boolean): DeviceConnectionsJson {
  return { connected, type: 'tcp-client', isLocal: true } as DeviceConnectionsJson
}

/** The completion of another device: complete by default. */
export function completion(given: Partial<CompletionJson> = {}): CompletionJson {
  return {
    completion: 100,
    globalBytes: 1_000,
    globalItems: 10,
    needBytes: 0,
    needDeletes: 0,
    needItems: 0,
    remoteState: 'valid',
    sequence: 1,
    ...given,
  }
}
