import type { Facility } from '../core/facilities.ts'
import type { EventMap, EventType } from '../rest/event-data.ts'

export type { EventMap, EventType }

export type ItemType = EventMap['ItemStarted']['type']
export type ItemAction = EventMap['ItemStarted']['action']
export type FolderSummaryData = EventMap['FolderSummary']['summary']
/** What `GET /rest/db/completion` tells. */
export type CompletionData = Omit<EventMap['FolderCompletion'], 'folder' | 'device'>
/** How far one file is, in blocks unless it says bytes. */
export type FileProgress = EventMap['DownloadProgress'][string][string]

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
export const DEFAULT_EVENT_TYPES: ReadonlySet<EventType> = new Set(
  EVENT_TYPES.filter((type) => !DISK_EVENT_TYPES.has(type)),
)

export type Event = {
  readonly [K in EventType]: {
    readonly globalID: number
    readonly timeMs: number
    readonly type: K
    readonly data: EventMap[K]
  }
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
