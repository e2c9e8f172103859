import { CONNECTIONS, PAUSES, PENDING_DEVICES, PENDING_FOLDERS } from './cluster.ts'
import { COMPLETION, DEVICE_STATISTICS } from './completion.ts'
import { FOLDER_STATISTICS, FOLDER_STATUS } from './db.ts'
import { SEARCH_END } from './find.ts'
import { GUARD_SUMMARY } from './guard.ts'
import { INDEX_IMPORT } from './index-import.ts'
import { PAGE } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, map, nullable, object, ref, type Static } from './schema.ts'
import { DISAGREEMENTS } from './network.ts'
import { SCHEDULED_PAUSE } from './schedule.ts'
import { ERRORS } from './system.ts'

/** Schemas of the routes below /rest/twinfold, which Syncthing's interface does not have. */

const ITEM_TYPE = { enum: ['file', 'directory', 'symlink'] } as const

const DEVICE_ID = described(TEXT, 'The id of the device.')

const DEVICE_VERSION = described(
  { enum: ['newest', 'older', 'none'] } as const,
  '`newest`: the global version, or a deletion that is carried out there; `older`: another version; ' +
    '`none`: the device has no such item, or has not announced it.',
)

const ITEM_STATE = described(
  { enum: ['here', 'older', 'missing', 'extra', 'ignored'] } as const,
  '`here`: the local version is the global one; `older`: it is another one; `missing`: there is no local version; ' +
    '`extra`: changed locally in a receive-only folder; `ignored`: ignored here by a pattern.',
)

const ITEM = object(
  {
    name: described(TEXT, 'In a tree the last segment of the path, elsewhere the whole path.'),
    type: ITEM_TYPE,
    sizeBytes: described(COUNT, '0 if the item is not a file.'),
    modified: TIME,
    modifiedBy: described(TEXT, 'The short id of the device that changed it last.'),
    deleted: described(BOOLEAN, 'True for an item that was deleted remotely and still exists here.'),
    state: ITEM_STATE,
    children: described(BOOLEAN, 'For directories: whether they have entries.'),
    devices: described(
      list(object({ deviceID: DEVICE_ID, version: DEVICE_VERSION })),
      'All other devices that the folder is shared with.',
    ),
  },
  ['children'],
)

export type ItemJson = Static<typeof ITEM>

const PAGED = { total: COUNT, ...PAGE } as const

export const TREE = object({
  ...PAGED,
  truncated: described(BOOLEAN, 'The directory has more names than are examined; `total` counts the examined ones.'),
  entries: described(list(ITEM), 'Directories first, in the wanted order; ignored items of the disk last.'),
})

export type TreeJson = Static<typeof TREE>

export const SEARCH = object({ items: described(list(ITEM), 'By path.'), ...SEARCH_END }, ['next'])

export type SearchJson = Static<typeof SEARCH>

const REASON_FIELDS = {
  text: described(TEXT, 'The reason in English.'),
  cause: described(TEXT, 'With `failed` and `folder-error`: the error itself; with `disagreement`: its code.'),
  device: described(TEXT, 'With `disagreement` and `device-paused`: the name of the device.'),
  place: described(COUNT, 'With `queued`, for one file: its position in the queue, from 1.'),
} as const

const PAUSE_FIELDS = {
  rule: described(TEXT, 'With `paused` and `device-paused`: the rule of the schedule that pauses it.'),
  until: described(TIME, 'With `paused` and `device-paused`: when the pause ends.'),
} as const

const WAIT_CODE = described(
  {
    enum: [
      'paused',
      'folder-error',
      'send-only',
      'downloading',
      'failed',
      'no-device',
      'queued',
      'scanning',
      'waiting',
    ],
  } as const,
  '`paused`: the folder is paused; `folder-error`: the folder has stopped; `send-only`: the folder receives nothing; ' +
    '`downloading`: in progress; `failed`: the last attempt failed, the text gives the reason; `no-device`: no ' +
    'connected device has this version; `queued`: in the queue; `scanning`: the folder is scanned first; `waiting`: ' +
    'not queued yet.',
)

export const WAITING = object({
  ...PAGED,
  items: described(
    list(
      object({
        name: TEXT,
        type: ITEM_TYPE,
        sizeBytes: COUNT,
        action: described(
          { enum: ['download', 'metadata', 'directory', 'symlink', 'delete'] } as const,
          'The pending action; `metadata`: the content is up to date, its time or permissions differ.',
        ),
        stage: { enum: ['downloading', 'queued', 'waiting'] },
        bytesDone: COUNT,
        reason: described(
          object({ code: WAIT_CODE, ...REASON_FIELDS }, ['cause', 'device', 'place']),
          'Why it is missing.',
        ),
        holders: described(list(DEVICE_ID), 'Connected devices that have this version.'),
        knownHolders: described(list(DEVICE_ID), 'All devices that have this version, connected or not.'),
      }),
    ),
    'In the order of downloading.',
  ),
})

export type WaitingJson = Static<typeof WAITING>

const WHY_CODE = described(
  {
    enum: [
      'paused',
      'folder-error',
      'send-only',
      'disagreement',
      'unknown',
      'outside',
      'reserved',
      'unreadable',
      'special',
      'new',
      'absent',
      'ignored',
      'here',
      'gone',
      'held',
      'kept',
      'collected',
      'deleted',
      'deleted-elsewhere',
      'extra',
      'missing',
      'older',
      'still-here',
      'deletion-ignored',
      'not-watched',
      'future',
      'unused-there',
      'paused-there',
      'not-shared-there',
      'deletion-waits-there',
      'missing-there',
      'failed',
      'downloading',
      'queued',
      'waiting',
      'offered',
      'no-device',
      'device-paused',
      'metered',
    ],
  } as const,
  'The code of the reason; `disagreement`: a device has other encryption settings for the folder; ' +
    '`offered` and `no-device` are about the devices with the global version, `still-here` is ' +
    'a pending remote deletion, `kept` a file that wins over the deletion by the device in `cause`, ' +
    '`device-paused` a device with the global version that is paused here, `metered` that only devices at ' +
    'local addresses are connected, `gone` a file that is not on the disk any more, ' +
    '`future` one whose time is that of a wrong clock. ' +
    'Those that end with `there` are about other devices, which `cause` names. ' +
    '`outside` to `absent` are from the disk.',
)

export const WHY_REPLY = object({
  folder: TEXT,
  file: TEXT,
  state: { enum: ['here', 'older', 'missing', 'extra', 'ignored', 'deleted', 'unknown'] },
  upToDate: BOOLEAN,
  reasons: described(
    list(object({ code: WHY_CODE, ...REASON_FIELDS, ...PAUSE_FIELDS }, ['cause', 'device', 'place', 'rule', 'until'])),
    'Most severe first.',
  ),
  local: described(nullable(ref('FileEntry')), 'The local record; null when there is none.'),
  global: described(nullable(ref('FileEntry')), 'The global record; null when there is none.'),
  devices: list(object({ deviceID: DEVICE_ID, name: TEXT, connected: BOOLEAN, version: DEVICE_VERSION })),
})

export type WhyJson = Static<typeof WHY_REPLY>

const PATTERN_LINE = { type: 'string', pattern: '^[^\\n\\r\\0]*$', description: 'one line of text' } as const

export const IGNORE_PREVIEW_BODY = object({ lines: list(PATTERN_LINE) })

export const IGNORE_PREVIEW = object({
  error: described(nullable(TEXT), 'The error in the lines, in which case nothing was matched.'),
  errorLine: described(
    nullable(COUNT),
    'The number of the invalid line, from 1; null when the error is not in one line.',
  ),
  lines: described(
    list(
      object({
        line: described(COUNT, 'The number of the line, from 1.'),
        kind: described(
          { enum: ['ignore', 'keep', 'include', 'other'] } as const,
          '`keep`: begins with `!`; `other`: empty or a comment.',
        ),
        matches: described(COUNT, 'The number of names that this line decides: the first matching line does.'),
        examples: described(list(TEXT), 'Up to five of these names.'),
      }),
    ),
    'One entry per given line.',
  ),
  ignoredTotal: described(COUNT, 'The number of names that would be ignored.'),
  checkedTotal: described(COUNT, 'The number of names that were checked.'),
  truncated: described(BOOLEAN, 'There are more names than were checked.'),
})

export type IgnorePreviewJson = Static<typeof IGNORE_PREVIEW>

export const CHECK_FOLDER = object({
  path: described(TEXT, 'The absolute path.'),
  problem: described(
    nullable(
      object({
        code: {
          enum: ['empty', 'contains-home', 'user-home', 'missing-parent', 'not-a-directory', 'unreadable', 'read-only'],
        },
        text: described(TEXT, 'The reason with its remedy.'),
      }),
    ),
    'Why it cannot become a folder; null when it can.',
  ),
  warnings: described(list(TEXT), 'What works, but is rarely intended: a folder inside another.'),
  exists: described(BOOLEAN, 'Whether the directory exists already.'),
  freeBytes: described(nullable(COUNT), 'Free space on its disk, or on that of its parent; null if unknown.'),
})

export type CheckFolderJson = Static<typeof CHECK_FOLDER>

export const WARNINGS = described(
  list(
    object({
      code: described(
        { enum: ['gui-open', 'folder-contains-home', 'proxy-not-trusted'] } as const,
        'The kind of the warning.',
      ),
      message: described(TEXT, 'What is at risk, and why.'),
      remedy: described(TEXT, 'What ends the risk.'),
    }),
  ),
  'Settings that put the device or its data at risk.',
)

export type WarningsJson = Static<typeof WARNINGS>

export const SUMMARY = object({
  system: object({
    myID: DEVICE_ID,
    version: TEXT,
    uptimeS: COUNT,
    startTime: described(TIME, 'Exact, so that it identifies one run of the process.'),
    trustedProxies: described(
      list(TEXT),
      'Reverse proxies whose `X-Forwarded-For` is believed, as `--trusted-proxies`.',
    ),
  }),
  access: described(
    object({
      name: described(nullable(TEXT), 'The key or the user who loads it; null for the owner of the device.'),
      scope: { enum: ['monitor', 'operate', 'admin'] },
      folders: described(nullable(list(TEXT)), 'Null: all folders.'),
    }),
    'What the sender of this request may do.',
  ),
  folders: described(
    map(
      object(
        {
          status: FOLDER_STATUS,
          completion: described(
            map(COMPLETION),
            'By device, as in `GET /rest/db/completion`; empty for a paused folder.',
          ),
          guard: described(GUARD_SUMMARY, 'As in `GET /rest/twinfold/guard`; absent where there is nothing.'),
          lastChange: described(TIME, 'When an item changed here for the last time; absent where none is recorded.'),
        },
        ['guard', 'lastChange'],
      ),
    ),
    'By folder id.',
  ),
  connections: CONNECTIONS,
  pendingDevices: PENDING_DEVICES,
  pendingFolders: PENDING_FOLDERS,
  errors: described(ERRORS.properties.errors, 'As in `GET /rest/system/error`.'),
  warnings: WARNINGS,
  disagreements: DISAGREEMENTS,
  indexImport: INDEX_IMPORT,
  pauses: PAUSES,
  scheduledPauses: described(list(SCHEDULED_PAUSE), 'What rules and conditions pause now.'),
  deviceStats: DEVICE_STATISTICS,
  folderStats: FOLDER_STATISTICS,
})

export const PULSE = object({
  startTime: described(
    TIME,
    'As in the summary: another value means that the process was restarted and the state must be loaded again.',
  ),
  connections: CONNECTIONS,
  disagreements: DISAGREEMENTS,
  indexImport: INDEX_IMPORT,
})

export type PulseJson = Static<typeof PULSE>

export type SummaryJson = Static<typeof SUMMARY>
