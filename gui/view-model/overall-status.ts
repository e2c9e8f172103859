import type { Config, FolderConfig } from '../../src/core/config/config.ts'
import type { Place } from '../base/address.ts'
import type { LiveState } from '../live/state.ts'
import { attentionCounts } from './attention.ts'
import { deviceFacts, deviceName, deviceNameById, otherDevices, type DeviceFacts } from './device.ts'
import { folderName } from './folder-name.ts'
import { folderState, type FolderCode, type FolderState } from './folder-state.ts'
import { meanRate, secondsLeft } from './rates.ts'
import type { Tone } from '../base/tone.ts'

/** The key of one part in the table of the overview. */
type StatusKey =
  | 'status.starting'
  | 'status.lost'
  | 'status.noFolders'
  | 'status.noDevices'
  | 'status.allPaused'
  | 'status.upToDate'
  | 'status.upToDateHere'
  | 'status.held'
  | 'status.attention'
  | 'status.risks'
  | 'status.disagreement'
  | 'status.requests'
  | 'status.downloading'
  | 'status.downloadingMany'
  | 'status.queued'
  | 'status.sending'
  | 'status.scanning'
  | 'status.scanningMany'
  | 'status.waiting'
  | 'status.conflicts'
  | 'status.offline'
  | 'status.never'
  | 'status.behind'
  | 'status.behindMany'
  | 'status.paused'

/** One thing that is true, and where it is shown. */
export interface StatusPart {
  readonly key: StatusKey
  readonly values: Readonly<Record<string, string | number>>
  readonly tone: Tone
  readonly place: Place
}

/** The line on top of the page: everything that is true, the most severe first. */
export interface OverallStatus {
  /** Of the most severe part. */
  readonly tone: Tone
  readonly parts: readonly StatusPart[]
  /** The remaining time, while something is downloaded. */
  readonly leftS?: number | undefined
}

interface Standing {
  readonly folder: FolderConfig
  readonly facts: FolderState
}

const SEVERITY: readonly Tone[] = ['bad', 'busy', 'wait', 'away', 'paused', 'off', 'good']

/** Composed of the states of all folders and devices, so that it cannot contradict them. */
export function overallStatus(state: LiveState): OverallStatus {
  const { config } = state
  if (config === undefined) return plain('wait', 'status.starting')
  if (state.link === 'lost') return plain('off', 'status.lost')
  const standings = config.folders.map((folder) => ({ folder, facts: folderState(state, folder) }))
  const others = otherDevices(state).map((device) => ({ device, facts: deviceFacts(state, device.deviceID) }))
  const found = [
    ...attention(state),
    ...moving(standings, others),
    ...waiting(standings),
    ...away(others),
    ...paused(standings),
  ]
  if (!state.isComplete && !found.some(({ tone }) => tone === 'bad')) return plain('wait', 'status.starting')
  if (found.some(({ tone }) => tone === 'bad' || tone === 'busy' || tone === 'wait'))
    return composed(state, found, standings)
  if (standings.some(({ facts }) => facts.code === 'starting')) return plain('wait', 'status.starting')
  return beginning(config, others.length) ?? idleStatus(found)
}

function plain(tone: Tone, key: StatusKey, ...place: Place): OverallStatus {
  return { tone, parts: [{ key, values: {}, tone, place }] }
}

function composed(state: LiveState, found: readonly StatusPart[], standings: readonly Standing[]): OverallStatus {
  const tone = SEVERITY.find((each) => found.some((one) => one.tone === each)) ?? 'wait'
  const loading = standings.find(({ facts }) => facts.code === 'downloading')
  const leftS = loading && secondsLeft(totalLeft(standings), meanRate(state.history).inBps)
  return { tone, parts: found, ...(leftS !== undefined && { leftS }) }
}

/** Nothing to do here: what is known of the others, if not all of them are here. */
function idleStatus(found: readonly StatusPart[]): OverallStatus {
  const [first] = found
  if (first === undefined) return plain('good', 'status.upToDate')
  const { tone } = first
  if (first.key === 'status.waiting') return { tone, parts: found }
  return { tone, parts: [{ key: 'status.upToDateHere', values: {}, tone, place: ['folders'] }, ...found] }
}

function beginning({ folders }: Config, others: number): OverallStatus | undefined {
  if (folders.length === 0) return plain('wait', 'status.noFolders')
  if (folders.every((folder) => folder.paused)) return plain('paused', 'status.allPaused', 'folders')
  return others === 0 ? plain('wait', 'status.noDevices', 'devices') : undefined
}

/** What the inbox lists. */
function attention(state: LiveState): readonly StatusPart[] {
  const { folders, held, isSevere, risks, conflicts, requests } = attentionCounts(state)
  const place = ['attention']
  return [
    ...counted('bad', 'status.held', held, place),
    ...counted(isSevere ? 'bad' : 'wait', 'status.attention', folders, place),
    ...counted('bad', 'status.risks', risks, place),
    ...disagreement(state),
    ...counted('wait', 'status.requests', requests, place),
    ...counted('wait', 'status.conflicts', conflicts, ['conflicts']),
  ]
}

function disagreement(state: LiveState): readonly StatusPart[] {
  const [first] = state.disagreements
  if (first === undefined) return []
  const values = { device: deviceNameById(state, first.deviceID) }
  return [{ tone: 'bad', key: 'status.disagreement', values, place: ['attention'] }]
}

function counted(tone: Tone, key: StatusKey, n: number, place: Place): readonly StatusPart[] {
  return n === 0 ? [] : [{ tone, key, values: { n }, place }]
}

const of = (standings: readonly Standing[], ...codes: readonly FolderCode[]) =>
  standings.filter(({ facts }) => codes.includes(facts.code))

function totalWaiting(standings: readonly Standing[]): number {
  return standings.reduce((sum, { facts }) => sum + facts.waiting, 0)
}

function totalLeft(standings: readonly Standing[]): number {
  return of(standings, 'downloading').reduce((sum, { facts }) => sum + facts.bytesLeft, 0)
}

interface Other {
  readonly device: Parameters<typeof deviceName>[0]
  readonly facts: DeviceFacts
}

/** What moves now: to here, else from here, else a scan. */
function moving(standings: readonly Standing[], others: readonly Other[]): readonly StatusPart[] {
  const loading = of(standings, 'downloading')
  if (loading.length > 0) return [movingIn('status.downloading', loading)]
  const preparing = of(standings, 'preparing')
  if (preparing.length > 0) return [movingIn('status.queued', preparing)]
  const [sending] = others.filter(({ facts }) => facts.code === 'syncing').sort(byWaiting)
  if (sending !== undefined)
    return [
      {
        tone: 'busy',
        key: 'status.sending',
        values: { n: sending.facts.waiting, device: deviceName(sending.device) },
        place: ['devices', sending.device.deviceID],
      },
    ]
  const scanning = of(standings, 'scanning')
  return scanning.length === 0 ? [] : [movingIn('status.scanning', scanning)]
}

function movingIn(
  key: 'status.downloading' | 'status.queued' | 'status.scanning',
  standings: readonly Standing[],
): StatusPart {
  const [first] = standings
  const n = totalWaiting(standings)
  if (first === undefined || standings.length > 1)
    return key === 'status.scanning'
      ? { tone: 'busy', key: 'status.scanningMany', values: { n: standings.length }, place: ['folders'] }
      : { tone: 'busy', key: 'status.downloadingMany', values: { n, folders: standings.length }, place: ['folders'] }
  const place = ['folders', first.folder.id, ...(key === 'status.scanning' ? [] : ['waiting'])]
  return { tone: 'busy', key, values: { n, folder: folderName(first.folder) }, place }
}

function waiting(standings: readonly Standing[]): readonly StatusPart[] {
  const found = of(standings, 'waiting', 'sourceOffline')
  const [first] = found
  if (first === undefined) return []
  const tone = found.every(({ facts }) => facts.code === 'sourceOffline') ? 'away' : 'wait'
  const place = found.length > 1 ? ['folders'] : ['folders', first.folder.id, 'waiting']
  return [{ tone, key: 'status.waiting', values: { n: totalWaiting(found) }, place }]
}

/** How many devices went offline or were never connected, and how many of the former are behind. */
function away(others: readonly Other[]): readonly StatusPart[] {
  const absent = others.filter(({ facts }) => facts.tone === 'away')
  const offline = absent.filter(({ facts }) => facts.code !== 'never')
  return [
    ...counted('away', 'status.offline', offline.length, ['devices']),
    ...counted('away', 'status.never', absent.length - offline.length, ['devices']),
    ...behind(offline.filter(({ facts }) => facts.waiting > 0)),
  ]
}

function behind(offline: readonly Other[]): readonly StatusPart[] {
  const [worst] = offline.toSorted(byWaiting)
  if (worst === undefined) return []
  const values = { n: worst.facts.waiting, device: deviceName(worst.device) }
  if (offline.length === 1)
    return [{ tone: 'away', key: 'status.behind', values, place: ['devices', worst.device.deviceID] }]
  return [
    { tone: 'away', key: 'status.behindMany', values: { ...values, devices: offline.length }, place: ['devices'] },
  ]
}

function byWaiting(one: Other, other: Other): number {
  return other.facts.waiting - one.facts.waiting
}

const RANKS: Readonly<Record<Tone, number>> = { bad: 6, wait: 5, busy: 4, away: 3, paused: 2, off: 7, good: 1 }

/** Whether a status must not wait until the shown one has had its time. A scan alone is no worse than a good state. */
export function isWorse(next: OverallStatus, shown: OverallStatus): boolean {
  return rankOf(next) > rankOf(shown)
}

function rankOf({ tone, parts }: OverallStatus): number {
  const isScan = parts[0]?.key === 'status.scanning' || parts[0]?.key === 'status.scanningMany'
  return isScan ? RANKS.good : RANKS[tone]
}

function paused(standings: readonly Standing[]): readonly StatusPart[] {
  return counted('paused', 'status.paused', of(standings, 'paused').length, ['folders'])
}
