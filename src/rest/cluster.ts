/** Types of `/rest/system/connections` and the routes below /rest/cluster. */

export interface ConnectionJson {
  readonly at: string
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  readonly startedAt: string
  readonly address: string
  readonly type: string
  readonly isLocal: boolean
  readonly crypto: string
}

export interface DeviceConnectionsJson extends ConnectionJson {
  readonly connected: boolean
  readonly paused: boolean
  readonly clientVersion: string
  readonly primary: ConnectionJson
  /** Absent when there is only one. */
  readonly secondary?: readonly ConnectionJson[]
}

/** `GET /rest/system/connections`, by device id; our own device is not listed. */
export interface ConnectionsJson {
  readonly connections: Readonly<Record<string, DeviceConnectionsJson>>
  readonly total: { readonly at: string; readonly inBytesTotal: number; readonly outBytesTotal: number }
}

/** `GET /rest/cluster/pending/devices`, by device id. */
export type PendingDevicesJson = Readonly<
  Record<string, { readonly time: string; readonly name: string; readonly address: string }>
>

export interface FolderOfferJson {
  readonly time: string
  readonly label: string
  readonly receiveEncrypted: boolean
  readonly remoteEncrypted: boolean
}

/** `GET /rest/cluster/pending/folders`, by folder id. */
export type PendingFoldersJson = Readonly<
  Record<string, { readonly offeredBy: Readonly<Record<string, FolderOfferJson>> }>
>
