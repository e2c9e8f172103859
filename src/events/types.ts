import type { Config } from '../core/config.ts'
import type { Facility } from '../core/facilities.ts'

export type ItemType = 'file' | 'dir' | 'symlink'

export interface ChangeData {
  readonly folder: string
  readonly folderID: string
  readonly label: string
  readonly path: string
  readonly type: ItemType
  readonly action: 'modified' | 'deleted'
  readonly modifiedBy: string
}

export interface PendingFolderData {
  readonly folderID: string
  readonly folderLabel: string
  readonly deviceID: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** What `GET /rest/db/completion` tells. */
export interface CompletionData {
  readonly completion: number
  readonly globalBytes: number
  readonly globalItems: number
  readonly needBytes: number
  readonly needDeletes: number
  readonly needItems: number
  readonly remoteState: string
  readonly sequence: number
}

export type ItemAction = 'update' | 'metadata' | 'delete'

/** How far one file is, in blocks unless it says bytes. */
export interface FileProgress {
  readonly total: number
  readonly reused: number
  readonly copiedFromOrigin: number
  readonly copiedFromOriginShifted: number
  readonly copiedFromElsewhere: number
  readonly pulled: number
  readonly pulling: number
  readonly bytesDone: number
  readonly bytesTotal: number
}

/** Every event the daemon emits and the shape of its data: the type is the documentation. */
export interface EventMap {
  Starting: { readonly home: string; readonly myID: string }
  StartupComplete: { readonly myID: string }
  ConfigSaved: Config
  DevicePaused: { readonly device: string }
  DeviceResumed: { readonly device: string }
  DeviceConnected: {
    readonly id: string
    readonly addr: string
    readonly deviceName: string
    readonly clientName: string
    readonly clientVersion: string
    readonly type: string
  }
  DeviceDisconnected: { readonly id: string; readonly error: string }
  DeviceRejected: { readonly device: string; readonly name: string; readonly address: string }
  PendingDevicesChanged: {
    readonly added?: readonly { readonly deviceID: string; readonly name: string; readonly address: string }[]
    readonly removed?: readonly { readonly deviceID: string }[]
  }
  ClusterConfigReceived: { readonly device: string }
  FolderRejected: { readonly device: string; readonly folder: string; readonly folderLabel: string }
  PendingFoldersChanged: {
    readonly added?: readonly PendingFolderData[]
    readonly removed?: readonly { readonly folderID: string; readonly deviceID?: string }[]
  }
  FolderPaused: { readonly id: string; readonly label: string }
  FolderResumed: { readonly id: string; readonly label: string }
  StateChanged: { readonly folder: string; readonly from: string; readonly to: string; readonly duration?: number; readonly error?: string }
  FolderScanProgress: { readonly folder: string; readonly current: number; readonly total: number; readonly rate: number }
  LocalIndexUpdated: { readonly folder: string; readonly items: number; readonly filenames: readonly string[]; readonly sequence: number; readonly version: number }
  LocalChangeDetected: ChangeData
  RemoteChangeDetected: ChangeData
  RemoteIndexUpdated: { readonly device: string; readonly folder: string; readonly items: number; readonly sequence: number; readonly version: number }
  RemoteDownloadProgress: { readonly device: string; readonly folder: string; readonly state: Readonly<Record<string, number>> }
  ItemStarted: { readonly folder: string; readonly item: string; readonly type: ItemType; readonly action: ItemAction }
  ItemFinished: {
    readonly folder: string
    readonly item: string
    readonly type: ItemType
    readonly action: ItemAction
    readonly error: string | null
  }
  /** By folder and file; empty when nothing is in progress any more. */
  DownloadProgress: Readonly<Record<string, Readonly<Record<string, FileProgress>>>>
  FolderSummary: { readonly folder: string; readonly summary: object }
  FolderCompletion: CompletionData & { readonly folder: string; readonly device: string }
  FolderErrors: { readonly folder: string; readonly errors: readonly { readonly path: string; readonly error: string }[] }
  FolderWatchStateChanged: { readonly folder: string; readonly from?: string; readonly to?: string }
  LoginAttempt: { readonly success: boolean; readonly username: string; readonly remoteAddress: string; readonly proxy?: string }
  Failure: string
}

export type EventType = keyof EventMap

/** Every type by name, for those who parse one. The compiler refuses a type that is missing here. */
export const EVENT_TYPES = Object.keys({
  Starting: true,
  StartupComplete: true,
  ConfigSaved: true,
  DevicePaused: true,
  DeviceResumed: true,
  DeviceConnected: true,
  DeviceDisconnected: true,
  DeviceRejected: true,
  PendingDevicesChanged: true,
  ClusterConfigReceived: true,
  FolderRejected: true,
  PendingFoldersChanged: true,
  FolderPaused: true,
  FolderResumed: true,
  StateChanged: true,
  FolderScanProgress: true,
  LocalIndexUpdated: true,
  LocalChangeDetected: true,
  RemoteChangeDetected: true,
  RemoteIndexUpdated: true,
  RemoteDownloadProgress: true,
  ItemStarted: true,
  ItemFinished: true,
  DownloadProgress: true,
  FolderSummary: true,
  FolderCompletion: true,
  FolderErrors: true,
  FolderWatchStateChanged: true,
  LoginAttempt: true,
  Failure: true,
} satisfies Record<EventType, true>) as readonly EventType[]

/** What `GET /rest/events/disk` shows: the changes of single items. */
export const DISK_EVENT_TYPES: ReadonlySet<EventType> = new Set(['LocalChangeDetected', 'RemoteChangeDetected'])

/** What `GET /rest/events` shows to those who name no types: all but the flood of single items. */
export const DEFAULT_EVENT_TYPES: ReadonlySet<EventType> = new Set(EVENT_TYPES.filter((type) => !DISK_EVENT_TYPES.has(type)))

export type Event = {
  readonly [K in EventType]: { readonly globalID: number; readonly timeMs: number; readonly type: K; readonly data: EventMap[K] }
}[EventType]

/** Where facilities send what happened. Never blocks, never throws at the emitter. */
export interface EventSink {
  emit<K extends EventType>(type: K, data: EventMap[K]): void
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

/** What one facility writes with. A debug line costs nothing while its switch is off: pass a function. */
export interface Logger {
  readonly facility: Facility
  debug(message: () => string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** An event as one subscription numbers it: `id` counts from 1 within the subscription, `globalID` over all events. */
export type EventRow = Event & { readonly id: number }

/** The last thousand events of one selection of types, kept for those who poll. */
export interface EventBuffer {
  /**
   * Rows with an id above `since`, oldest first. Resolves at once when there are any, else with the first new event,
   * with nothing after `timeoutMs`, or with nothing when the signal aborts.
   */
  since(since: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]>
}

export interface EventSource {
  /** The buffer for these types: made on first use, the same one afterwards; the number of buffers is bounded. */
  buffer(types: ReadonlySet<EventType>): EventBuffer
}

export interface LogLine {
  readonly timeMs: number
  readonly level: LogLevel
  readonly facility: Facility
  readonly message: string
}

/** The log as the REST interface shows and steers it. */
export interface LogControl {
  /** The ring, oldest first; only lines strictly newer than `sinceMs` when given. */
  lines(sinceMs?: number): readonly LogLine[]
  /** The last warnings and errors that people should see, and those reported from outside. */
  errors(): readonly LogLine[]
  reportError(message: string): void
  clearErrors(): void
  level(facility: Facility): LogLevel
  /** DEBUG is what "enabled" means in `GET /rest/system/debug`; INFO is the level of a facility at rest. */
  setLevel(facility: Facility, level: LogLevel): void
}
