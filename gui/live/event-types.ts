import type { EventMap } from '../../src/rest/event-data.ts'

/** The events that the page acts upon. */
const PAGE_EVENTS = {
  ConfigSaved: 1,
  StateChanged: 1,
  FolderSummary: 1,
  FolderCompletion: 1,
  FolderScanProgress: 1,
  FolderErrors: 1,
  LocalIndexUpdated: 1,
  RemoteIndexUpdated: 1,
  ItemFinished: 1,
  FolderWatchStateChanged: 1,
  FolderGuardHeld: 1,
  FolderGuardReleased: 1,
  FolderGuardNoticed: 1,
  DownloadProgress: 1,
  DeviceConnected: 1,
  DeviceDisconnected: 1,
  DevicePaused: 1,
  DeviceResumed: 1,
  FolderPaused: 1,
  FolderResumed: 1,
  PendingDevicesChanged: 1,
  PendingFoldersChanged: 1,
  ClusterConfigReceived: 1,
  ScheduleChanged: 1,
  Failure: 1,
} as const satisfies { readonly [K in keyof EventMap]?: 1 }

export type PageEventType = keyof typeof PAGE_EVENTS

export type PageEvent = {
  readonly [K in PageEventType]: { readonly type: K; readonly data: EventMap[K] }
}[PageEventType]

export const PAGE_EVENT_TYPES = Object.keys(PAGE_EVENTS) as readonly PageEventType[]

/** The event if the page acts upon it; a later daemon may send others. */
export function pageEvent(event: { readonly type: string }): PageEvent | undefined {
  return isPageEvent(event) ? event : undefined
}

function isPageEvent(event: { readonly type: string }): event is PageEvent {
  return Object.hasOwn(PAGE_EVENTS, event.type) && 'data' in event
}
