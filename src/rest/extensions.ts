import { PRIORITY_MAX } from '../core/config/extensions.ts'
import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, described, list, map, nullable, object, type Static } from './schema.ts'

/** The settings that Syncthing does not have. */

const PERCENT = { type: 'number', minimum: 0, maximum: 100 } as const
const PRIORITY = { type: 'integer', minimum: -PRIORITY_MAX, maximum: PRIORITY_MAX } as const

const FOLDER_FIELDS = {
  collect: described(BOOLEAN, 'Whether files that other devices delete stay here.'),
  sharedIgnores: described(BOOLEAN, 'Whether the patterns of `.stglobalignore` in the folder are in force here.'),
  guard: described(BOOLEAN, 'Whether an unusual number of deletions is held until the user decides.'),
  versionsPercentMax: described(PERCENT, 'The share of the disk that old versions may have; 0 is unlimited.'),
  archiveLocal: described(BOOLEAN, 'Whether local deletions and edits are archived too, where files can be cloned.'),
  priority: described(PRIORITY, 'Folders with a higher number download first; the others still progress.'),
  pauseOnBattery: described(BOOLEAN, 'Whether the folder is paused while the machine runs on its battery.'),
  merge: described(
    { enum: ['off', 'offer', 'on'] } as const,
    'Conflicting edits of texts: `offer` makes conflict copies and offers a merged text, `on` merges the texts.',
  ),
  mergeUnion: described(list(TEXT), 'Patterns of names in which lines that both sides added are all kept.'),
  mergePrograms: described(
    map(list(TEXT)),
    'Programs that merge, by pattern: the program and its arguments, with `{base}`, `{left}`, `{right}`, `{output}`.',
  ),
}
const FOLDER_NAMES = [
  'collect',
  'sharedIgnores',
  'guard',
  'versionsPercentMax',
  'archiveLocal',
  'priority',
  'pauseOnBattery',
  'merge',
  'mergeUnion',
  'mergePrograms',
] as const
const DEVICE_FIELDS = {
  drive: described(BOOLEAN, 'Whether folders are served as a read-only network drive.'),
  meteredLocalOnly: described(
    BOOLEAN,
    'Whether only devices at local addresses are connected while the connection to the Internet is metered.',
  ),
  inhibitSleep: described(BOOLEAN, 'Whether the machine does not sleep by itself while something is transferred.'),
}

const EXTENSIONS = object({
  ...DEVICE_FIELDS,
  folders: described(map(object(FOLDER_FIELDS)), 'The folders with other settings than the defaults, by id.'),
})

const EXTENSIONS_PATCH = object(
  {
    ...DEVICE_FIELDS,
    folders: described(map(object(FOLDER_FIELDS, FOLDER_NAMES)), 'Settings of folders, by id.'),
  },
  ['drive', 'meteredLocalOnly', 'inhibitSleep', 'folders'],
)

const SHARED_IGNORES = object({
  enabled: described(BOOLEAN, 'Whether the shared patterns are in force here.'),
  lines: described(list(TEXT), 'Those in force, or, where they are not enabled, those of the file.'),
  problem: described(nullable(TEXT), 'Why the file is not used; its last valid content stays in force.'),
  change: described(
    object({
      ignoredTotal: described(COUNT, 'The number of names that would be ignored.'),
      ignored: described(list(TEXT), 'The first of them.'),
      announcedTotal: described(COUNT, 'The number of ignored names that would not be ignored any more.'),
      announced: described(list(TEXT), 'The first of them.'),
      checkedTotal: described(COUNT, 'The number of names that were checked.'),
      truncated: described(BOOLEAN, 'There are more names than were checked.'),
    }),
    'What enabling them, or disabling them, would change here.',
  ),
})

export type SharedIgnoresJson = Static<typeof SHARED_IGNORES>

export const EXTENSION_ROUTES = {
  'GET /rest/twinfold/settings': {
    scope: 'monitor',
    summary: 'Returns the settings that Syncthing does not have; they are kept in `twinfold-settings.json`.',
    reply: { is: 'json', schema: EXTENSIONS },
  },
  'PATCH /rest/twinfold/settings': {
    scope: 'admin',
    summary: 'Changes settings that Syncthing does not have. Absent fields stay as they are.',
    body: { schema: EXTENSIONS_PATCH, about: 'The settings to change.' },
    reply: { is: 'json', schema: EXTENSIONS },
    errors: { 'folder-missing': { status: 404 } },
  },
  'GET /rest/twinfold/shared-ignores': {
    scope: 'monitor',
    summary: 'Returns the patterns of `.stglobalignore` in a folder, and what enabling them would change here.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: SHARED_IGNORES },
    errors: {
      'folder-missing': { status: 404 },
      'folder-not-running': { status: 404 },
      'folder-paused': { status: 409 },
    },
  },
} as const satisfies Declarations
