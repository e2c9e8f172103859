import { CONNECTIONS, PENDING_DEVICES, PENDING_FOLDERS } from './cluster.ts'
import { COMPLETION, DEVICE_STATISTICS } from './completion.ts'
import { FOLDER_STATISTICS, FOLDER_STATUS } from './db.ts'
import { PAGE } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, TIME, about, list, map, nullable, object, ref, type Static } from './schema.ts'
import { ERRORS } from './system.ts'

/** Shapes of the routes below /rest/twinfold: what people ask about single files, which Syncthing's interface cannot tell. */

const ITEM_TYPE = { enum: ['file', 'directory', 'symlink'] } as const

const DEVICE_ID = about(TEXT, 'The id of the device.')

const DEVICE_VERSION = about(
  { enum: ['newest', 'older', 'none'] } as const,
  '`newest`: as the cluster has it, and for a deletion that it is carried out there; `older`: another one; `none`: it has no such item, or told nothing of it.',
)

const ITEM_STATE = about(
  { enum: ['here', 'older', 'missing', 'extra', 'ignored'] } as const,
  '`here`: our copy is the newest; `older`: ours is another one than the newest; `missing`: we have none; ' +
    '`extra`: changed here in a folder that only receives; `ignored`: left out here by a pattern.',
)

const ITEM = object(
  {
    name: about(TEXT, 'In a tree the last part of the path, elsewhere the whole of it.'),
    type: ITEM_TYPE,
    sizeBytes: about(COUNT, '0 for what is no file.'),
    modified: TIME,
    modifiedBy: about(TEXT, 'The short id of the device that changed it last.'),
    deleted: about(BOOLEAN, 'True for what was deleted elsewhere and is still here.'),
    state: ITEM_STATE,
    children: about(BOOLEAN, 'Of directories: whether there is anything in them.'),
    devices: about(
      list(object({ deviceID: DEVICE_ID, version: DEVICE_VERSION })),
      'Every other device that the folder is shared with.',
    ),
  },
  ['children'],
)

export type ItemJson = Static<typeof ITEM>

const PAGED = { total: COUNT, ...PAGE } as const

export const TREE = object({
  ...PAGED,
  truncated: about(BOOLEAN, 'The directory holds more names than are looked through; `total` counts those that were.'),
  entries: about(list(ITEM), 'Directories first, then by name.'),
})

export type TreeJson = Static<typeof TREE>

export const SEARCH = object({
  items: about(list(ITEM), 'By path.'),
  truncated: about(BOOLEAN, 'There may be more.'),
})

export type SearchJson = Static<typeof SEARCH>

const REASON_FIELDS = {
  text: about(TEXT, 'The reason in English.'),
  cause: about(TEXT, 'With `failed` and `folder-error`: the error itself.'),
  place: about(COUNT, 'With `queued`, about one file: which number it is in the queue, from 1.'),
} as const

const WAIT_CODE = about(
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
  '`paused`: the folder is; `folder-error`: the folder has stopped; `send-only`: the folder takes nothing from others; ' +
    '`downloading`: now; `failed`: the last attempt did, the text says why; `no-device`: no connected device has this ' +
    'version; `queued`: in the queue; `scanning`: the folder is scanned first; `waiting`: for its turn.',
)

export const WAITING = object({
  ...PAGED,
  items: about(
    list(
      object({
        name: TEXT,
        type: ITEM_TYPE,
        sizeBytes: COUNT,
        action: about(
          { enum: ['download', 'metadata', 'directory', 'symlink', 'delete'] } as const,
          'What will be done here; `metadata`: the content is here already, its time or permissions differ.',
        ),
        stage: { enum: ['downloading', 'queued', 'waiting'] },
        bytesDone: COUNT,
        reason: about(object({ code: WAIT_CODE, ...REASON_FIELDS }, ['cause', 'place']), 'Why it is not here yet.'),
        holders: about(list(DEVICE_ID), 'Connected devices that have it.'),
        knownHolders: about(list(DEVICE_ID), 'All devices that have it, connected or not.'),
      }),
    ),
    'In the order of downloading.',
  ),
})

export type WaitingJson = Static<typeof WAITING>

const WHY_CODE = about(
  {
    enum: [
      'paused',
      'folder-error',
      'send-only',
      'unknown',
      'ignored',
      'here',
      'deleted',
      'deleted-elsewhere',
      'extra',
      'missing',
      'older',
      'still-here',
      'failed',
      'downloading',
      'queued',
      'waiting',
      'offered',
      'no-device',
    ],
  } as const,
  'What kind of reason it is; `offered` and `no-device` tell who has the newest version, `still-here` that it was deleted elsewhere.',
)

export const WHY = object({
  folder: TEXT,
  file: TEXT,
  state: { enum: ['here', 'older', 'missing', 'extra', 'ignored', 'deleted', 'unknown'] },
  upToDate: BOOLEAN,
  reasons: about(list(object({ code: WHY_CODE, ...REASON_FIELDS }, ['cause', 'place'])), 'The gravest first.'),
  local: about(nullable(ref('FileEntry')), 'What is here; null when nothing is known.'),
  global: about(nullable(ref('FileEntry')), 'The newest version of all devices.'),
  devices: list(object({ deviceID: DEVICE_ID, name: TEXT, connected: BOOLEAN, version: DEVICE_VERSION })),
})

export type WhyJson = Static<typeof WHY>

const PATTERN_LINE = { type: 'string', pattern: '^[^\\n\\r\\0]*$', description: 'one line of text' } as const

export const IGNORE_PREVIEW_BODY = object({ lines: list(PATTERN_LINE) })

export const IGNORE_PREVIEW = object({
  error: about(nullable(TEXT), 'What is wrong with the lines; then nothing was matched.'),
  errorLine: about(
    nullable(COUNT),
    'The number of the line that is wrong, from 1; null when it is not one line alone.',
  ),
  lines: about(
    list(
      object({
        line: about(COUNT, 'Its number, from 1.'),
        kind: about(
          { enum: ['ignore', 'keep', 'include', 'other'] } as const,
          '`keep`: begins with `!`; `other`: empty or a comment.',
        ),
        matches: about(COUNT, 'Names that this line decides about: earlier lines that match come first.'),
        examples: about(list(TEXT), 'Up to five of them.'),
      }),
    ),
    'One for each line given.',
  ),
  ignoredTotal: about(COUNT, 'Names that would be ignored.'),
  checkedTotal: about(COUNT, 'Names that were looked at.'),
  truncated: about(BOOLEAN, 'There are more names than were looked at.'),
})

export type IgnorePreviewJson = Static<typeof IGNORE_PREVIEW>

export const CONFLICTS = object({
  ...PAGED,
  items: about(
    list(
      object({
        name: TEXT,
        original: about(TEXT, 'The file it is another version of, which need not exist any more.'),
        sizeBytes: COUNT,
        modified: TIME,
        modifiedBy: about(TEXT, 'The short id of the device that changed it last.'),
      }),
    ),
    'By path.',
  ),
})

export type ConflictsJson = Static<typeof CONFLICTS>

export const SUMMARY = object({
  system: object({
    myID: DEVICE_ID,
    version: TEXT,
    uptimeS: COUNT,
    startTime: about(TIME, 'Exact, so that it tells one run from the next.'),
  }),
  folders: about(
    map(
      object({
        status: FOLDER_STATUS,
        completion: about(
          map(COMPLETION),
          'By device, as `GET /rest/db/completion` tells it; empty for a folder that is paused.',
        ),
      }),
    ),
    'By folder id.',
  ),
  connections: CONNECTIONS,
  pendingDevices: PENDING_DEVICES,
  pendingFolders: PENDING_FOLDERS,
  errors: about(ERRORS.properties.errors, 'As in `GET /rest/system/error`.'),
  deviceStats: DEVICE_STATISTICS,
  folderStats: FOLDER_STATISTICS,
})

export const PULSE = object({
  startTime: about(TIME, 'As in the summary: another one is another run, of which nothing is known yet.'),
  connections: CONNECTIONS,
})

export type PulseJson = Static<typeof PULSE>

export type SummaryJson = Static<typeof SUMMARY>
