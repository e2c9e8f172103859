import { COMPLETION } from './completion.ts'
import { FOLDER_STATUS } from './db.ts'
import { BOOLEAN, COUNT, NUMBER, TEXT, TIME, described, list, map, nullable, object, ref } from './schema.ts'
import type { Schema, Static } from './schema.ts'

const ITEM_TYPE = { enum: ['file', 'dir', 'symlink'] } as const
const ITEM_ACTION = { enum: ['update', 'metadata', 'delete'] } as const
const DEVICE = object({ device: TEXT })
const FOLDER_NAME = object({ id: TEXT, label: TEXT })

const CHANGE = object({
  folder: TEXT,
  folderID: TEXT,
  label: TEXT,
  path: TEXT,
  type: ITEM_TYPE,
  action: { enum: ['modified', 'deleted'] },
  modifiedBy: described(TEXT, 'The short id of the device that changed it.'),
})

const PENDING_FOLDER = object({
  folderID: TEXT,
  folderLabel: TEXT,
  deviceID: TEXT,
  receiveEncrypted: BOOLEAN,
  remoteEncrypted: BOOLEAN,
})

/** An address as Syncthing's events have it. */
const ADDRESS_PARTS = object({
  Scheme: TEXT,
  Opaque: TEXT,
  User: { type: 'null' },
  Host: TEXT,
  Path: TEXT,
  Fragment: TEXT,
  RawQuery: TEXT,
  RawPath: TEXT,
  RawFragment: TEXT,
  ForceQuery: BOOLEAN,
  OmitHost: BOOLEAN,
})

/** In blocks, except where the name contains bytes. */
const FILE_PROGRESS = object({
  total: COUNT,
  reused: COUNT,
  copiedFromOrigin: COUNT,
  copiedFromOriginShifted: COUNT,
  copiedFromElsewhere: COUNT,
  pulled: COUNT,
  pulling: COUNT,
  bytesDone: COUNT,
  bytesTotal: COUNT,
})

const ITEM = { folder: TEXT, item: TEXT, type: ITEM_TYPE, action: ITEM_ACTION }

const ORIGIN = described(TEXT, '`local`, or the id of the device that caused it.')

const GUARD_LOSS = {
  folder: TEXT,
  deletions: described(COUNT, 'Deleted files.'),
  truncations: described(COUNT, 'Files that became empty.'),
  since: TIME,
  origin: ORIGIN,
} as const

/**
 * Every event the daemon emits and the schema of its data, declared once: the types of the bus and of the client and
 * the OpenAPI document are derived from it, and tests check emitted events against it.
 */
export const EVENT_DATA = {
  Starting: object({ home: TEXT, myID: TEXT }),
  StartupComplete: object({ myID: TEXT }),
  ConfigSaved: ref('Config'),
  DevicePaused: DEVICE,
  DeviceResumed: DEVICE,
  DeviceConnected: object({
    id: TEXT,
    addr: TEXT,
    deviceName: TEXT,
    clientName: TEXT,
    clientVersion: TEXT,
    type: TEXT,
  }),
  DeviceDisconnected: object({ id: TEXT, error: TEXT }),
  DeviceDiscovered: object({ device: TEXT, addrs: list(TEXT) }),
  ListenAddressesChanged: object({ address: ADDRESS_PARTS, lan: list(ADDRESS_PARTS), wan: list(ADDRESS_PARTS) }),
  DeviceRejected: object({ device: TEXT, name: TEXT, address: TEXT }),
  PendingDevicesChanged: object(
    {
      added: list(object({ deviceID: TEXT, name: TEXT, address: TEXT })),
      removed: list(object({ deviceID: TEXT })),
    },
    ['added', 'removed'],
  ),
  ClusterConfigReceived: DEVICE,
  FolderRejected: object({ device: TEXT, folder: TEXT, folderLabel: TEXT }),
  PendingFoldersChanged: object(
    { added: list(PENDING_FOLDER), removed: list(object({ folderID: TEXT, deviceID: TEXT }, ['deviceID'])) },
    ['added', 'removed'],
  ),
  FolderPaused: FOLDER_NAME,
  FolderResumed: FOLDER_NAME,
  StateChanged: object(
    { folder: TEXT, from: TEXT, to: TEXT, duration: described(NUMBER, 'Seconds in the previous state.'), error: TEXT },
    ['duration', 'error'],
  ),
  FolderScanProgress: object(
    {
      folder: TEXT,
      current: described(COUNT, 'Bytes hashed.'),
      total: described(COUNT, 'Bytes to hash, as far as they were found.'),
      counted: described(BOOLEAN, 'Whether the total is final.'),
      rate: described(NUMBER, 'Bytes per second.'),
    },
    ['counted'],
  ),
  LocalIndexUpdated: object({ folder: TEXT, items: COUNT, filenames: list(TEXT), sequence: COUNT, version: COUNT }),
  LocalChangeDetected: CHANGE,
  RemoteChangeDetected: CHANGE,
  RemoteIndexUpdated: object({ device: TEXT, folder: TEXT, items: COUNT, sequence: COUNT, version: COUNT }),
  RemoteDownloadProgress: object({ device: TEXT, folder: TEXT, state: described(map(COUNT), 'Blocks by file.') }),
  ItemStarted: object(ITEM),
  ItemFinished: object({ ...ITEM, error: nullable(TEXT) }),
  DownloadProgress: described(map(map(FILE_PROGRESS)), 'By folder and file; empty when nothing is in progress.'),
  FolderSummary: object({ folder: TEXT, summary: FOLDER_STATUS }),
  FolderCompletion: object({ ...COMPLETION.properties, folder: TEXT, device: TEXT }),
  FolderErrors: object({ folder: TEXT, errors: list(object({ path: TEXT, error: TEXT })) }),
  FolderWatchStateChanged: object({ folder: TEXT, from: TEXT, to: TEXT }, ['from', 'to']),
  FolderGuardHeld: described(object(GUARD_LOSS), 'The deletion guard holds a loss; not an event of Syncthing.'),
  FolderGuardReleased: described(
    object({ folder: TEXT, origin: ORIGIN, outcome: { enum: ['applied', 'refused', 'resolved'] } as const }),
    'The deletion guard holds it no longer; not an event of Syncthing.',
  ),
  FolderGuardNoticed: described(
    object({ ...GUARD_LOSS, kind: { enum: ['deleted', 'rewritten'] } as const }),
    'A loss that is not held: others deleted what is an old version now, or files look encrypted. Not of Syncthing.',
  ),
  ScheduleChanged: described(object({}), 'What rules and conditions pause or limit has changed. Not of Syncthing.'),
  LoginAttempt: object({ success: BOOLEAN, username: TEXT, remoteAddress: TEXT, proxy: TEXT }, ['proxy']),
  Failure: TEXT,
} as const satisfies Readonly<Record<string, Schema>>

export type EventType = keyof typeof EVENT_DATA

/** The data of each event by its name. */
export type EventMap = { readonly [K in EventType]: Static<(typeof EVENT_DATA)[K]> }

/** An event as it is sent: `type` determines the schema of `data`. A newer daemon may send types not listed here. */
export type EventJson = {
  readonly [K in EventType]: {
    readonly id: number
    readonly globalID: number
    readonly time: string
    readonly type: K
    readonly data: EventMap[K]
  }
}[EventType]

/** An event of any type. */
export function eventSchema(): Schema {
  const each = Object.entries(EVENT_DATA).map(([type, data]) =>
    object({
      id: described(COUNT, 'Counts within one selection of types.'),
      globalID: described(COUNT, 'Counts all events of the process.'),
      time: TIME,
      type: { const: type },
      data,
    }),
  )
  return { anyOf: each, description: 'An event.' }
}
