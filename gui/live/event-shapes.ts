import type { EventJson, EventMap } from '../../src/rest/event-data.ts'

/** The events that the page acts upon. */
const TOLD = {
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
  Failure: 1,
} as const satisfies { readonly [K in keyof EventMap]?: 1 }

type ToldType = keyof typeof TOLD

export type ToldEvent = { readonly [K in ToldType]: { readonly type: K; readonly data: EventMap[K] } }[ToldType]

export const TOLD_TYPES: readonly string[] = Object.keys(TOLD)

/** The event if the page acts upon it. */
export function toldEvent(event: EventJson): ToldEvent | undefined {
  return isTold(event) ? event : undefined
}

function isTold(event: EventJson): event is EventJson & { readonly type: ToldType } {
  return event.type in TOLD
}
