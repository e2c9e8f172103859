import type { Config } from '../../src/core/config/config.ts'
import type { ConnectionsJson } from '../../src/rest/cluster.ts'
import type { PulseJson } from '../../src/rest/twinfold.ts'
import type { PageEvent } from './event-types.ts'
import type { FolderLive, LiveState, Rate, RatePoint } from './state.ts'
import { lookUp } from '../base/look-up.ts'

/** Ten minutes, a point every two seconds. */
const HISTORY_MAX = 300

/** What has to be reloaded because of an event that does not contain it. */
export type ReloadPart =
  | 'config'
  | 'summary'
  | 'connections'
  | 'pending'
  | 'statistics'
  | 'warnings'
  | 'attention'
  | 'restart'
  | `folder:${string}`

/** What is known after an event. */
export function applyEvent(state: LiveState, event: PageEvent): LiveState {
  const counted = countFolder(state, folderOf(event))
  switch (event.type) {
    case 'ConfigSaved': // without secrets, therefore the configuration itself is loaded again
      return {
        ...counted,
        config: withGuiAddress(counted.config, event.data),
        folders: onlyConfigured(counted.folders, event.data.folders),
      }
    case 'StateChanged':
      return changeFolder(counted, event.data.folder, ({ scan, ...folder }) => ({
        ...folder,
        ...(event.data.to === 'scanning' && { scan }),
        status: {
          ...folder.status,
          state: event.data.to,
          error: event.data.error ?? '',
          stateChanged: new Date().toISOString(),
        },
      }))
    case 'FolderSummary':
      return changeFolder(counted, event.data.folder, (folder) => {
        const isChanged = event.data.summary.sequence > folder.status.sequence
        const lastChange = isChanged ? new Date().toISOString() : folder.lastChange
        return { ...folder, lastChange, status: { ...folder.status, ...event.data.summary } }
      })
    case 'FolderCompletion': {
      const { folder, device, ...completion } = event.data
      return changeFolder(counted, folder, (live) => ({
        ...live,
        completion: { ...live.completion, [device]: completion },
      }))
    }
    case 'FolderScanProgress': {
      const { folder, ...scan } = event.data
      return changeFolder(counted, folder, (live) => ({ ...live, scan }))
    }
    case 'FolderErrors':
      return changeFolder(counted, event.data.folder, (live) => ({ ...live, errors: event.data.errors }))
    case 'DownloadProgress':
      return { ...counted, progress: event.data }
    default:
      return counted
  }
}

/** A daemon whose address was changed may be gone from here before the configuration is loaded again. */
function withGuiAddress(config: LiveState['config'], saved: Config): LiveState['config'] {
  if (config === undefined || saved.gui === undefined) return config
  const { address, useTLS } = saved.gui
  return { ...config, gui: { ...config.gui, address, useTLS } }
}

/** What has to be reloaded after an event. */
export function reloadsFor(event: PageEvent): readonly ReloadPart[] {
  switch (event.type) {
    case 'DownloadProgress':
      return Object.keys(event.data).map((folder) => `folder:${folder}` as const)
    case 'ConfigSaved':
      return ['config', 'summary', 'restart']
    case 'DeviceConnected':
    case 'DeviceDisconnected':
      return ['connections', 'statistics', 'warnings']
    case 'DevicePaused':
    case 'DeviceResumed':
      return ['connections']
    case 'ClusterConfigReceived': // a device may have accepted a folder, or paused it
      return ['summary']
    case 'PendingDevicesChanged':
    case 'PendingFoldersChanged':
      return ['pending']
    case 'FolderPaused':
    case 'FolderResumed':
      return [`folder:${event.data.id}`]
    case 'FolderErrors':
    case 'FolderWatchStateChanged':
      return [`folder:${event.data.folder}`, 'warnings', 'attention']
    case 'FolderGuardHeld':
    case 'FolderGuardReleased':
    case 'FolderGuardNoticed':
    case 'ScheduleChanged':
      return ['summary']
    case 'StateChanged':
      return event.data.to === 'idle' ? ['statistics'] : event.data.to === 'error' ? ['warnings', 'attention'] : []
    case 'Failure':
      return ['warnings']
    default:
      return []
  }
}

/** What has no events. Lists that have not changed stay the same object, so that nothing is rendered again. */
export function applyPulse(state: LiveState, { connections, disagreements, indexImport }: PulseJson): LiveState {
  const next = { ...applyConnections(state, connections), indexImport }
  const isSame = JSON.stringify(state.disagreements) === JSON.stringify(disagreements)
  return isSame ? next : { ...next, disagreements }
}

/** The rates, computed from the byte counts and the previous ones. */
export function applyConnections(state: LiveState, next: ConnectionsJson): LiveState {
  const rates: Record<string, Rate> = {}
  const deviceHistory: Record<string, readonly RatePoint[]> = {}
  const atMs = Date.parse(next.total.at)
  for (const [id, connection] of Object.entries(next.connections)) {
    const rate = rateBetween(lookUp(state.connections.connections, id), connection)
    rates[id] = rate
    deviceHistory[id] = appended(lookUp(state.deviceHistory, id) ?? [], { atMs, ...rate })
  }
  const history = appended(state.history, { atMs, ...rateBetween(state.connections.total, next.total) })
  return { ...state, connections: next, rates, history, deviceHistory }
}

interface Counted {
  readonly at: string
  readonly inBytesTotal: number
  readonly outBytesTotal: number
}

function rateBetween(before: Counted | undefined, now: Counted): Rate {
  const seconds = before === undefined ? 0 : (Date.parse(now.at) - Date.parse(before.at)) / 1_000
  if (before === undefined || !(seconds > 0)) return { inBps: 0, outBps: 0 }
  return {
    inBps: Math.max(0, (now.inBytesTotal - before.inBytesTotal) / seconds),
    outBps: Math.max(0, (now.outBytesTotal - before.outBytesTotal) / seconds),
  }
}

function appended(history: readonly RatePoint[], point: RatePoint): readonly RatePoint[] {
  const last = history.at(-1)
  if (last !== undefined && !(point.atMs > last.atMs)) return history
  return [...history, point].slice(-HISTORY_MAX)
}

function folderOf(event: PageEvent): string | undefined {
  return typeof event.data === 'object' && 'folder' in event.data && typeof event.data.folder === 'string'
    ? event.data.folder
    : undefined
}

function countFolder(state: LiveState, folder: string | undefined): LiveState {
  if (folder === undefined) return state
  return { ...state, folderEvents: { ...state.folderEvents, [folder]: (lookUp(state.folderEvents, folder) ?? 0) + 1 } }
}

function changeFolder(state: LiveState, id: string, change: (folder: FolderLive) => FolderLive): LiveState {
  const folder = lookUp(state.folders, id)
  return folder === undefined ? state : { ...state, folders: { ...state.folders, [id]: change(folder) } }
}

export function onlyConfigured(
  folders: LiveState['folders'],
  configured: readonly { readonly id: string }[],
): LiveState['folders'] {
  const kept = new Set(configured.map(({ id }) => id))
  return Object.fromEntries(Object.entries(folders).filter(([id]) => kept.has(id)))
}
