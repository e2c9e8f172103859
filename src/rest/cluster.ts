import { BOOLEAN, COUNT, TEXT, TIME, described, list, map, object, type Static } from './schema.ts'

/** Schemas of `/rest/system/connections`, the routes below /rest/cluster, and pauses. */

const CONNECTION_FIELDS = {
  at: TIME,
  inBytesTotal: COUNT,
  outBytesTotal: COUNT,
  startedAt: TIME,
  address: TEXT,
  type: TEXT,
  isLocal: BOOLEAN,
  crypto: TEXT,
} as const

const CONNECTION = object(CONNECTION_FIELDS)

export type ConnectionJson = Static<typeof CONNECTION>

/** `secondary` is absent when there is only one connection. */
const DEVICE_CONNECTIONS = object(
  {
    ...CONNECTION_FIELDS,
    connected: BOOLEAN,
    paused: BOOLEAN,
    clientVersion: TEXT,
    primary: CONNECTION,
    secondary: list(CONNECTION),
  },
  ['secondary'],
)

export type DeviceConnectionsJson = Static<typeof DEVICE_CONNECTIONS>

/** By device id; this device is not listed. */
export const CONNECTIONS = object({
  connections: map(DEVICE_CONNECTIONS),
  total: object({ at: TIME, inBytesTotal: COUNT, outBytesTotal: COUNT }),
})

export type ConnectionsJson = Static<typeof CONNECTIONS>

/** By device id. */
export const PENDING_DEVICES = map(object({ time: TIME, name: TEXT, address: TEXT }))

export type PendingDevicesJson = Static<typeof PENDING_DEVICES>

const FOLDER_OFFER = object({ time: TIME, label: TEXT, receiveEncrypted: BOOLEAN, remoteEncrypted: BOOLEAN })

export type FolderOfferJson = Static<typeof FOLDER_OFFER>

/** By folder id. */
export const PENDING_FOLDERS = map(object({ offeredBy: map(FOLDER_OFFER) }))

export type PendingFoldersJson = Static<typeof PENDING_FOLDERS>

export const PAUSES = described(
  list(
    object({
      kind: { enum: ['folder', 'device'] },
      id: described(TEXT, 'The id of the folder or device.'),
      until: described(TIME, 'When it is resumed.'),
    } as const),
  ),
  'Folders and devices that are paused for a time, the next to be resumed first.',
)
