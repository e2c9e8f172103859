import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import type { Place } from '../app/address.ts'
import type { FolderLive, LiveState } from '../live/state.ts'
import { deviceFacts, deviceName, nameOf, otherDevices } from './device.ts'
import { folderCounts, folderName, type FolderCounts } from './folder-counts.ts'
import { meanRate, secondsLeft } from './rates.ts'
import type { Tone } from './tone.ts'

/** The key of the sentence in the table of the overview. */
type StatusKey =
  | 'status.starting'
  | 'status.lost'
  | 'status.stopped'
  | 'status.problems'
  | 'status.disagreement'
  | 'status.downloading'
  | 'status.queued'
  | 'status.waiting'
  | 'status.waitingNoneConnected'
  | 'status.sendOnly'
  | 'status.extra'
  | 'status.scanning'
  | 'status.sending'
  | 'status.noFolders'
  | 'status.noDevices'
  | 'status.allPaused'
  | 'status.noneConnected'
  | 'status.upToDate'

/** The one sentence on top of the page, and where its cause is shown. */
export interface OverallStatus {
  readonly tone: Tone
  readonly key: StatusKey
  readonly values: Readonly<Record<string, string | number>>
  /** The remaining time, while something is transferred. */
  readonly leftS?: number | undefined
  readonly place: Place
}

interface Standing {
  readonly folder: FolderConfig
  readonly live: FolderLive
  readonly counts: FolderCounts
}

/** The most severe state wins. */
export function overallStatus(state: LiveState): OverallStatus {
  const { config } = state
  if (config === undefined) return plain('wait', 'status.starting')
  if (state.link === 'lost') return plain('off', 'status.lost')
  const running = config.folders.filter(({ paused }) => !paused)
  const standings = running.flatMap((folder) => {
    const live = state.folders[folder.id]
    return live === undefined ? [] : [{ folder, live, counts: folderCounts(live) }]
  })
  const found =
    stopped(standings) ??
    problems(standings) ??
    disagreement(state) ??
    downloading(state, standings) ??
    waiting(state, standings) ??
    different(standings) ??
    scanning(standings)
  if (found !== undefined) return found
  if (standings.length < running.length) return plain('wait', 'status.starting')
  return sending(state) ?? calm(state, config)
}

function plain(tone: Tone, key: StatusKey, ...place: Place): OverallStatus {
  return { tone, key, values: {}, place }
}

function stopped(standings: readonly Standing[]): OverallStatus | undefined {
  const found = standings.find(({ live }) => live.status.error !== '')
  if (found === undefined) return undefined
  const values = { folder: folderName(found.folder), reason: found.live.status.error }
  return { tone: 'bad', key: 'status.stopped', values, place: ['folders', found.folder.id] }
}

function problems(standings: readonly Standing[]): OverallStatus | undefined {
  const found = standings.find(({ counts }) => counts.problems > 0)
  return found && counted('bad', 'status.problems', found, found.counts.problems, 'problems')
}

function disagreement(state: LiveState): OverallStatus | undefined {
  const [found] = state.disagreements
  if (found === undefined) return undefined
  const place = found.folder === null ? ['devices', found.deviceID] : ['folders', found.folder]
  return { tone: 'bad', key: 'status.disagreement', values: { device: nameOf(state, found.deviceID) }, place }
}

function downloading(state: LiveState, standings: readonly Standing[]): OverallStatus | undefined {
  const moving = standings.filter(({ live, counts }) => live.status.state === 'syncing' && counts.waiting > 0)
  const [found] = moving.toSorted((one, other) => other.counts.bytesLeft - one.counts.bytesLeft)
  if (found === undefined) return undefined
  const leftS = secondsLeft(found.counts.bytesLeft, meanRate(state.history).inBps)
  return { ...counted('busy', 'status.downloading', found, found.counts.waiting, 'waiting'), leftS }
}

/** Items are missing and none is being downloaded. A busy folder may be about to download them. */
function waiting(state: LiveState, standings: readonly Standing[]): OverallStatus | undefined {
  const short = standings.filter(({ folder, counts }) => folder.type !== 'sendonly' && counts.waiting > 0)
  const [first] = short
  if (first === undefined) return undefined
  const busy = short.find(({ live }) => live.status.state !== 'idle')
  if (busy !== undefined) return counted('busy', 'status.queued', busy, busy.counts.waiting, 'waiting')
  const n = short.reduce((sum, { counts }) => sum + counts.waiting, 0)
  const isAnyConnected = short.some(({ folder }) => folder.devices.some(({ deviceID }) => isConnected(state, deviceID)))
  return {
    tone: 'wait',
    key: isAnyConnected ? 'status.waiting' : 'status.waitingNoneConnected',
    values: { n },
    place: short.length > 1 ? ['folders'] : ['folders', first.folder.id, 'waiting'],
  }
}

/** What is different on purpose: others' changes in a folder that only sends, ours in one that only receives. */
function different(standings: readonly Standing[]): OverallStatus | undefined {
  const sent = standings.find(({ folder, counts }) => folder.type === 'sendonly' && counts.waiting > 0)
  if (sent !== undefined) return counted('wait', 'status.sendOnly', sent, sent.counts.waiting, 'waiting')
  const received = standings.find(({ counts }) => counts.extra > 0)
  return received && counted('wait', 'status.extra', received, received.counts.extra)
}

function scanning(standings: readonly Standing[]): OverallStatus | undefined {
  const found = standings.find(({ live }) => live.status.state === 'scanning')
  if (found === undefined) return undefined
  return {
    tone: 'busy',
    key: 'status.scanning',
    values: { folder: folderName(found.folder) },
    place: ['folders', found.folder.id],
  }
}

function sending(state: LiveState): OverallStatus | undefined {
  for (const device of otherDevices(state)) {
    const { tone, waiting: n } = deviceFacts(state, device.deviceID)
    if (tone === 'busy')
      return {
        tone,
        key: 'status.sending',
        values: { n, device: deviceName(device) },
        place: ['devices', device.deviceID],
      }
  }
  return undefined
}

function calm(state: LiveState, { folders }: Config): OverallStatus {
  if (folders.length === 0) return plain('wait', 'status.noFolders')
  if (folders.every(({ paused }) => paused)) return plain('off', 'status.allPaused', 'folders')
  const others = otherDevices(state)
  if (others.length === 0) return plain('wait', 'status.noDevices', 'devices')
  if (!others.some(({ deviceID }) => isConnected(state, deviceID)))
    return plain('wait', 'status.noneConnected', 'devices')
  return plain('good', 'status.upToDate')
}

function counted(tone: Tone, key: StatusKey, { folder }: Standing, n: number, tab?: string): OverallStatus {
  const place = ['folders', folder.id, ...(tab === undefined ? [] : [tab])]
  return { tone, key, values: { n, folder: folderName(folder) }, place }
}

function isConnected(state: LiveState, deviceId: string): boolean {
  return state.connections.connections[deviceId]?.connected === true
}
