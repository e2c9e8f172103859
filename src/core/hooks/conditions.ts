import { hash } from 'node:crypto'
import type { HeldLoss } from '../guard/guard-state.ts'
import type { DeviceStates, FolderFacts, RemoteDevice, SyncState } from './device-states.ts'
import { durationText } from '../duration.ts'
import type { Hook } from './hook.ts'
import { deviceText, folderText, type Occurrence } from './occurrence.ts'

/** What is remembered about one folder or device of a hook, also across restarts. */
interface SubjectMemory {
  readonly level?: 'on' | 'off'
  /** How long the level has lasted while this process ran. */
  readonly lastedMs?: number
  /** The next time that the state settles, the hook fires. */
  readonly isArmed?: boolean
  /** The last file received, the last change, or the last call. */
  readonly mark?: number
  /** Digests of the conflict copies, or the holds of the guard, that are known. */
  readonly known?: readonly string[]
}

/** By folder or device. */
export type HookMemory = Readonly<Record<string, SubjectMemory>>

export interface HookCheck {
  readonly memory: HookMemory
  readonly occurrences: readonly Occurrence[]
  /** When the states have to be checked again, though nothing changes; undefined: not by time. */
  readonly nextMs: number | undefined
}

interface SubjectCheck {
  readonly memory: SubjectMemory
  readonly occurrences?: readonly Occurrence[]
  readonly nextMs?: number
}

type Level = 'on' | 'off' | 'unknown'

/** A state that has to last. */
interface Settling {
  readonly level: Level
  readonly afterMs: number
  /** Whether the first level that is known may fire, if it is on. */
  readonly isArmedAtFirst?: boolean
  /** Something happened in the state: it has to last from now on, and may fire again. */
  readonly mark?: number
}

const NAMES_SHOWN_MAX = 20
const KNOWN_MAX = 20_000
const HOLDS_KNOWN_MAX = 20
const WHOLE_DEVICE = '*'

/**
 * Decides whether a hook fires. A state fires once, when it has lasted long enough, and again only after it was left.
 * What was so when the hook was made does not fire.
 */
export function checkHook(hook: Hook, memory: HookMemory, states: DeviceStates): HookCheck {
  const checks = subjectChecks(hook, memory, states)
  const next = checks.map(([, { nextMs }]) => nextMs).filter((nextMs) => nextMs !== undefined)
  return {
    memory: Object.fromEntries(checks.map(([key, check]) => [key, check.memory])),
    occurrences: checks.flatMap(([, { occurrences = [] }]) => occurrences),
    nextMs: next.length === 0 ? undefined : next.reduce((a, b) => Math.min(a, b)),
  }
}

function subjectChecks(
  hook: Hook,
  memory: HookMemory,
  states: DeviceStates,
): readonly (readonly [key: string, check: SubjectCheck])[] {
  if (hook.on === 'all-in-sync') return [[WHOLE_DEVICE, allInSync(hook, memory[WHOLE_DEVICE] ?? {}, states)]]
  if (hook.on === 'device-away') {
    const devices = states.devices.filter(({ id }) => hook.device === undefined || id === hook.device)
    return devices.map((device) => [device.id, deviceAway(hook, memory[device.id] ?? {}, device, states)])
  }
  const folders = states.folders.filter(({ id }) => hook.folder === undefined || id === hook.folder)
  return folders.map((folder) => [folder.id, folderCheck(hook, memory[folder.id] ?? {}, folder, states)])
}

function folderCheck(hook: Hook, memory: SubjectMemory, folder: FolderFacts, states: DeviceStates): SubjectCheck {
  if (hook.on === 'conflict') return conflicts(memory, folder)
  if (hook.on === 'guard-held') return guardHeld(hook, memory, folder)
  const { afterMs } = hook
  const sync = syncOf(hook, folder)
  const occurrence = folderOccurrence(hook, folder, states)
  switch (hook.on) {
    case 'folder-in-sync': {
      const level = sync === 'in-sync' ? 'on' : sync === 'behind' ? 'off' : 'unknown'
      if (hook.device !== undefined) {
        if (level === 'unknown') return { memory }
        const known = memory.mark === undefined || folder.sequence < memory.mark ? folder.sequence : memory.mark
        return settle({ ...memory, mark: known }, { level, afterMs, mark: folder.sequence }, states, occurrence)
      }
      const isReceived = folder.receivedMs > hook.createdMs
      return settle(memory, { level, afterMs, ...(isReceived && { mark: folder.receivedMs }) }, states, occurrence)
    }
    case 'folder-behind': {
      const level = sync === 'behind' ? 'on' : sync === 'unknown' ? 'unknown' : 'off'
      return settle(memory, { level, afterMs, isArmedAtFirst: true }, states, occurrence)
    }
    case 'error':
      return settle(memory, { level: levelOf(folder.error, (text) => text !== ''), afterMs }, states, occurrence)
    case 'error-gone':
      return settle(memory, { level: levelOf(folder.error, (text) => text === ''), afterMs }, states, occurrence)
    default: {
      const level = folder.space?.is === 'low' ? 'on' : folder.space?.is === 'enough' ? 'off' : 'unknown'
      return settle(memory, { level, afterMs }, states, occurrence)
    }
  }
}

function syncOf({ device }: Hook, folder: FolderFacts): SyncState {
  if (device === undefined || folder.sync === 'unknown') return folder.sync
  return folder.remoteSync.get(device) ?? 'unknown'
}

function levelOf<T>(value: T | undefined, isOn: (value: T) => boolean): Level {
  return value === undefined ? 'unknown' : isOn(value) ? 'on' : 'off'
}

/** An unknown state changes nothing: what follows it is compared with what was before. */
function settle(
  memory: SubjectMemory,
  { level, afterMs, isArmedAtFirst = false, mark }: Settling,
  { nowMs, elapsedMs }: DeviceStates,
  occurrence: Occurrence,
): SubjectCheck {
  if (level === 'unknown') return { memory }
  if (level === 'off') return { memory: { ...memory, level, lastedMs: 0, isArmed: true } }
  const isMarked = mark !== undefined && mark !== memory.mark
  const isNew = memory.level !== 'on' || isMarked
  const lastedMs = isNew ? 0 : (memory.lastedMs ?? 0) + elapsedMs
  const isArmed = isMarked || (memory.isArmed ?? isArmedAtFirst)
  const current = { ...memory, level, lastedMs, isArmed, ...(mark !== undefined && { mark }) } as const
  if (!isArmed) return { memory: current }
  if (lastedMs < afterMs) return { memory: current, nextMs: nowMs + afterMs - lastedMs }
  return { memory: { ...current, isArmed: false }, occurrences: [occurrence] }
}

function deviceAway(hook: Hook, memory: SubjectMemory, device: RemoteDevice, states: DeviceStates): SubjectCheck {
  const { nowMs } = states
  if (device.isPaused) return { memory }
  if (device.isConnected) return { memory: { level: 'off', isArmed: true } }
  const awayMs = (device.lastSeenMs === 0 ? hook.createdMs : device.lastSeenMs) + hook.afterMs
  // By the wall clock: while this device does not run, another one is away as well.
  const level = nowMs >= awayMs ? 'on' : 'off'
  const details = { lastSeen: device.lastSeenMs === 0 ? null : new Date(device.lastSeenMs).toISOString() }
  const check = settle(memory, { level, afterMs: 0 }, states, {
    folder: undefined,
    device: { id: device.id, name: device.name },
    text: deviceText(device, nowMs),
    details,
  })
  return level === 'off' ? { ...check, nextMs: awayMs } : check
}

/** Calls at most once in an interval, while every folder is in sync. */
function allInSync(hook: Hook, memory: SubjectMemory, { folders, nowMs }: DeviceStates): SubjectCheck {
  const wanted = folders.filter(({ id, sync }) => (hook.folder === undefined ? sync !== 'paused' : id === hook.folder))
  const states = wanted.flatMap((folder) => [folder.sync, ...remoteOf(hook, folder)])
  const isInSync = wanted.length > 0 && states.every((sync) => sync === 'in-sync')
  const isWell = isInSync && wanted.every(({ error }) => error === '')
  if (!isWell) return { memory }
  const { mark: lastMs = 0 } = memory
  const dueMs = lastMs > nowMs ? nowMs : lastMs + hook.afterMs
  if (dueMs > nowMs) return { memory, nextMs: dueMs }
  const text = hook.folder === undefined ? 'All folders are in sync' : `${folderText(wanted[0]!)} is in sync`
  const occurrence = { folder: undefined, device: undefined, text, details: { folders: wanted.length } }
  return { memory: { mark: nowMs }, occurrences: [occurrence], nextMs: nowMs + hook.afterMs }
}

function remoteOf({ device }: Hook, { remoteSync }: FolderFacts): readonly SyncState[] {
  const sync = device === undefined ? undefined : remoteSync.get(device)
  return sync === undefined ? [] : [sync]
}

function conflicts(memory: SubjectMemory, folder: FolderFacts): SubjectCheck {
  if (folder.conflicts === undefined) return { memory }
  const digests = folder.conflicts.map(digestOf)
  const before = memory.known === undefined ? undefined : new Set(memory.known)
  const added = before === undefined ? [] : folder.conflicts.filter((_, i) => !before.has(digests[i]!))
  // Those that are gone stay known: an index that was lost and filled again has no new conflicts.
  const isSame = before !== undefined && added.length === 0
  const next = isSame ? memory : { known: [...new Set([...(memory.known ?? []), ...digests])].slice(-KNOWN_MAX) }
  if (added.length === 0) return { memory: next }
  const first = added.slice(0, NAMES_SHOWN_MAX)
  const more = added.length === 1 ? '' : ` (and ${added.length - 1} more)`
  const details = { conflicts: first, count: added.length, total: folder.conflicts.length }
  const text = `${folderText(folder)} has a new conflict copy: ${first[0]}${more}`
  return { memory: next, occurrences: [{ ...subjectOf(folder), text, details }] }
}

/** Enough to tell names of one folder apart; a list of 20,000 names has to be small. */
function digestOf(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 10)
}

/** A hold is known by its begin and its origin: it is reported once, however it grows. */
function guardHeld(hook: Hook, memory: SubjectMemory, folder: FolderFacts): SubjectCheck {
  const added = folder.held?.filter((held) => !memory.known?.includes(holdKey(held))) ?? []
  if (added.length === 0) return { memory }
  const known = [...(memory.known ?? []), ...added.map(holdKey)].slice(-HOLDS_KNOWN_MAX)
  const later = added.filter(({ sinceMs }) => sinceMs >= hook.createdMs)
  const occurrences = later.map(({ deletions, truncations, sinceMs, origin }) => ({
    ...subjectOf(folder),
    text: `The guard of ${folderText(folder, false)} holds ${deletions} deletions and ${truncations} emptied files`,
    details: { deletions, truncations, since: new Date(sinceMs).toISOString(), origin },
  }))
  return { memory: { known }, occurrences }
}

function holdKey({ sinceMs, origin }: HeldLoss): string {
  return `${sinceMs} ${origin}`
}

function subjectOf({ id, label }: FolderFacts): Pick<Occurrence, 'folder' | 'device'> {
  return { folder: { id, label }, device: undefined }
}

function folderOccurrence(hook: Hook, folder: FolderFacts, { devices }: DeviceStates): Occurrence {
  const found = devices.find(({ id }) => id === hook.device)
  const device = found === undefined ? undefined : { id: found.id, name: found.name }
  const where = device === undefined ? '' : ` on ${device.name === '' ? device.id.slice(0, 7) : device.name}`
  const { needItems, needBytes, error = '', space } = folder
  const own = hook.device === undefined ? { needItems, needBytes } : {}
  const name = folderText(folder)
  const subject = { folder: { id: folder.id, label: folder.label }, device }
  switch (hook.on) {
    case 'folder-in-sync':
      return { ...subject, text: `${name} is in sync${where}`, details: {} }
    case 'folder-behind':
      return { ...subject, text: `${name} has been behind${where} for ${durationText(hook.afterMs)}`, details: own }
    case 'error':
      return { ...subject, text: `${name} has an error: ${error}`, details: { error } }
    case 'error-gone':
      return { ...subject, text: `${name} has no error any more`, details: {} }
    default: {
      const details = { freeBytes: space?.freeBytes ?? 0 }
      return { ...subject, text: `The disk of ${folderText(folder, false)} is low: ${space?.text ?? ''}`, details }
    }
  }
}
