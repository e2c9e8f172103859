import type { Config } from '../../src/core/config.ts'
import type { CompletionJson } from '../../src/rest/completion.ts'
import type { FolderStatusJson } from '../../src/rest/db.ts'
import type { EventJson } from '../../src/rest/events.ts'
import type { FileProgress } from './state.ts'

/** The events that the page acts upon, and what it reads of them. */
interface Told {
  ConfigSaved: Config
  StateChanged: { readonly folder: string; readonly to: string; readonly error?: string }
  FolderSummary: { readonly folder: string; readonly summary: FolderStatusJson }
  FolderCompletion: CompletionJson & { readonly folder: string; readonly device: string }
  FolderScanProgress: { readonly folder: string; readonly current: number; readonly total: number; readonly rate: number }
  FolderErrors: { readonly folder: string }
  LocalIndexUpdated: { readonly folder: string }
  RemoteIndexUpdated: { readonly folder: string }
  ItemFinished: { readonly folder: string }
  FolderWatchStateChanged: { readonly folder: string }
  DownloadProgress: Readonly<Record<string, Readonly<Record<string, FileProgress>>>>
  DeviceConnected: { readonly id: string }
  DeviceDisconnected: { readonly id: string }
  DevicePaused: { readonly device: string }
  DeviceResumed: { readonly device: string }
  FolderPaused: { readonly id: string }
  FolderResumed: { readonly id: string }
  PendingDevicesChanged: object
  PendingFoldersChanged: object
  ClusterConfigReceived: { readonly device: string }
  Failure: string
}

type ToldType = keyof Told

export type ToldEvent = { readonly [K in ToldType]: { readonly type: K; readonly data: Told[K] } }[ToldType]

export const TOLD_TYPES = Object.keys({
  ConfigSaved: 1, StateChanged: 1, FolderSummary: 1, FolderCompletion: 1, FolderScanProgress: 1, FolderErrors: 1,
  LocalIndexUpdated: 1, RemoteIndexUpdated: 1, ItemFinished: 1, FolderWatchStateChanged: 1, DownloadProgress: 1,
  DeviceConnected: 1, DeviceDisconnected: 1, DevicePaused: 1, DeviceResumed: 1, FolderPaused: 1, FolderResumed: 1,
  PendingDevicesChanged: 1, PendingFoldersChanged: 1, ClusterConfigReceived: 1, Failure: 1,
} satisfies Record<ToldType, 1>)

/** An event of the page's own daemon, whose shapes are part of its interface. */
export function toldEvent(event: EventJson): ToldEvent | undefined {
  return TOLD_TYPES.includes(event.type) ? (event as unknown as ToldEvent) : undefined
}
