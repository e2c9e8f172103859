import type { Facility } from '../core/facilities.ts'
import type { EventMap, EventType } from '../rest/event-data.ts'

export type { EventMap, EventType }

export type ItemType = EventMap['ItemStarted']['type']
export type ItemAction = EventMap['ItemStarted']['action']
export type FolderSummaryData = EventMap['FolderSummary']['summary']
/** The response of `GET /rest/db/completion`. */
export type CompletionData = Omit<EventMap['FolderCompletion'], 'folder' | 'device'>
/** Progress of one file, in blocks unless named bytes. */
export type FileProgress = EventMap['DownloadProgress'][string][string]

/** Every type by name, for parsing. The compiler rejects a missing type. */
export const EVENT_TYPES = Object.keys({
  Starting: true,
  StartupComplete: true,
  ConfigSaved: true,
  DevicePaused: true,
  DeviceResumed: true,
  DeviceConnected: true,
  DeviceDisconnected: true,
  DeviceDiscovered: true,
  ListenAddressesChanged: true,
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
  FolderGuardHeld: true,
  FolderGuardReleased: true,
  FolderGuardNoticed: true,
  ScheduleChanged: true,
  LoginAttempt: true,
  Failure: true,
} satisfies Record<EventType, true>) as readonly EventType[]

/** The types of `GET /rest/events/disk`: changes of single items. */
export const DISK_EVENT_TYPES: ReadonlySet<EventType> = new Set(['LocalChangeDetected', 'RemoteChangeDetected'])

/** The types of `GET /rest/events` without a selection: all except changes of single items. */
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

/** Receives events from facilities. Never blocks, never throws at the emitter. */
export interface EventSink {
  emit<K extends EventType>(type: K, data: EventMap[K]): void
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

/** The logger of one facility. Debug messages are functions, so that they cost nothing while disabled. */
export interface Logger {
  readonly facility: Facility
  debug(message: () => string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** An event as one subscription numbers it: `id` counts from 1 within the subscription, `globalID` over all events. */
export type EventRow = Event & { readonly id: number }

/** The last thousand events of one selection of types, for polling. */
export interface EventBuffer {
  /**
   * Rows with an id above `since`, oldest first. Resolves immediately when there are any, otherwise with the first new
   * event, or with an empty list after `timeoutMs` or when the signal aborts.
   */
  since(since: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]>
}

/** All events under one number each, `globalID`, for readers that must not lose one unnoticed. */
export interface EventSequence {
  /** The number of the newest event. */
  readonly newestId: number
  /**
   * Some of the rows after a number, oldest first, as soon as there are any; none after `timeoutMs` or when the signal
   * aborts. If the first is not the next number, those between are no longer held.
   */
  next(after: number, timeoutMs: number, signal: AbortSignal): Promise<readonly EventRow[]>
}

export interface EventSource {
  /** Holds events from the first call on, and what the standard selections hold of those before. */
  sequence(): EventSequence
  /** The buffer for these types: created on first use, then reused; the number of buffers is bounded. */
  buffer(types: ReadonlySet<EventType>): EventBuffer
  /** A row of the sequence as its reader may see it; undefined: not at all. Absent where all are seen as they are. */
  readonly shown?: (row: EventRow) => EventRow | undefined
}

export interface LogLine {
  readonly timeMs: number
  readonly level: LogLevel
  readonly facility: Facility
  readonly message: string
}

/** Access to the log for the REST interface. */
export interface LogControl {
  /** The ring, oldest first; only lines strictly newer than `sinceMs` when given. */
  lines(sinceMs?: number): readonly LogLine[]
  /** The last warnings and errors, including those reported through the REST interface. */
  errors(): readonly LogLine[]
  reportError(message: string): void
  clearErrors(): void
  level(facility: Facility): LogLevel
  /** DEBUG means "enabled" in `GET /rest/system/debug`; INFO is the default level. */
  setLevel(facility: Facility, level: LogLevel): void
}
