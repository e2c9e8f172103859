import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** The history of a folder on this device. */

const TYPE = { enum: ['file', 'directory', 'symlink'] } as const

const ITEM = object({
  type: TYPE,
  size: COUNT,
  modified: TIME,
  permissions: described(nullable(COUNT), 'Null where they are not recorded.'),
  blocksHash: described(TEXT, 'The hash over the block hashes of a file, as base64url.'),
  symlinkTarget: TEXT,
})

const ENTRY = object({
  id: described(TEXT, 'Its place in the history, as `cursor` takes it.'),
  time: described(TIME, 'When it was recorded here, by the clock of this device.'),
  path: described(TEXT, 'Empty for `baseline`.'),
  kind: described(
    { enum: ['added', 'changed', 'metadata', 'deleted', 'ignored', 'conflict', 'baseline'] } as const,
    'What happened. `conflict`: a conflict copy was made. `baseline`: the items of the first scan, counted.',
  ),
  how: described(
    { enum: ['scan', 'pull', 'action', 'restore', 'rewind', 'merge'] } as const,
    'Found by a scan here, pulled from another device, or done by an action here, a restored version or a rewind.',
  ),
  by: described(TEXT, 'The short ID of the device that made the version.'),
  via: described(list(TEXT), 'Short IDs of devices that had the version when it was pulled, at most three.'),
  fromVersion: described(TEXT, 'The version vector before; empty where there was no record.'),
  toVersion: TEXT,
  before: nullable(ITEM),
  after: nullable(object({ type: TYPE, size: COUNT, blocksHash: TEXT, symlinkTarget: TEXT })),
  baseline: nullable(object({ files: COUNT, directories: COUNT, symlinks: COUNT, bytes: COUNT })),
})

const HISTORY = object({
  entries: described(list(ENTRY), 'Newest first.'),
  next: described(nullable(TEXT), 'The cursor of the next page; null at the end.'),
  completeSince: described(nullable(TIME), 'It is complete from here on; null until the first scan has ended.'),
})

export type HistoryJson = Static<typeof HISTORY>
export type HistoryEntryJson = HistoryJson['entries'][number]

const NO_FOLDER = { 'folder-missing': { status: 404 }, 'folder-not-running': { status: 404 } } as const

export const HISTORY_ROUTES = {
  'GET /rest/twinfold/history': {
    scope: 'monitor',
    summary: 'Lists what changed in a folder on this device, newest first: when, by which device and how.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'A path: the changes of this item and of everything below it.' },
      since: { schema: TIME, about: 'Only changes at this time or later.', strict: true },
      by: { schema: TEXT, about: 'Only changes by this device: its ID, or the short one.' },
      cursor: { schema: TEXT, about: 'The page that `next` of the page before names.' },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
        about: 'The maximum number of entries; default 100.',
        strict: true,
      },
    },
    reply: { is: 'json', schema: HISTORY },
    errors: NO_FOLDER,
  },
} as const satisfies Declarations
