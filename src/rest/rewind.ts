import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** A folder, directory or file as it was at a moment. */

const MODE = { enum: ['in-place', 'beside'] } as const

const GROUP = object({
  items: COUNT,
  bytes: described(COUNT, 'Of the files.'),
  names: described(list(TEXT), 'The first of them.'),
})

const PREVIEW = object({
  restorable: described(GROUP, 'Items that become as they were.'),
  replaced: described(COUNT, 'How many of them have other content now, which becomes an old version first.'),
  gone: described(GROUP, 'Items whose content is neither here nor on a connected device.'),
  kept: described(GROUP, 'Items that are newer than the moment: they stay.'),
  removed: described(GROUP, 'Items that only a later rewind has made: they become old versions.'),
  blocked: described(GROUP, 'Items whose name a directory has now: they are left out.'),
  beside: described(TEXT, 'Where the items are put; empty in place.'),
  verified: described(BOOLEAN, 'False: the old versions are too many to read all of them for a preview.'),
})

const REWIND = object({
  path: TEXT,
  to: TIME,
  mode: MODE,
  beside: TEXT,
  state: { enum: ['running', 'done', 'failed', 'stopped'] } as const,
  started: TIME,
  ended: nullable(TIME),
  items: described(COUNT, 'Items to go through; 0 until they are known.'),
  handled: COUNT,
  rewound: described(COUNT, 'Items that are as they were again.'),
  bytes: COUNT,
  removed: COUNT,
  left: described(COUNT, 'Items that stayed as they are.'),
  gone: COUNT,
  failed: COUNT,
  error: described(TEXT, 'Why it waits, or has failed.'),
  problems: described(list(object({ path: TEXT, reason: TEXT })), 'The first items that are gone or failed.'),
})

const REPLY = object({
  preview: described(nullable(PREVIEW), 'What a rewind would do; null where no time is given.'),
  rewind: described(nullable(REWIND), 'The rewind that runs, or the last one of the folder.'),
})

export type RewindReplyJson = Static<typeof REPLY>
export type RewindPreviewJson = Static<typeof PREVIEW>
export type RewindJson = Static<typeof REWIND>

const ERRORS = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
  refused: { status: 409 },
} as const

const PATH = { schema: TEXT, about: 'A file or directory; the whole folder when absent.' } as const
const TO = { schema: TIME, about: 'The moment, as of which the folder is looked at.' } as const

export const REWIND_ROUTES = {
  'GET /rest/twinfold/rewind': {
    scope: 'monitor',
    summary: 'Returns what a rewind to a moment would do, and the rewind that runs or the last one. Changes nothing.',
    query: { folder: FOLDER, path: PATH, to: TO, mode: { schema: MODE, about: 'Default in-place.' } },
    reply: { is: 'json', schema: REPLY },
    errors: ERRORS,
  },
  'POST /rest/twinfold/rewind': {
    scope: 'operate',
    summary: 'Rewinds a folder, directory or file to a moment, as new versions that reach all devices.',
    query: { folder: FOLDER, path: PATH, to: { ...TO, required: true } },
    body: {
      schema: object({ mode: described(MODE, '`beside`: what changed since is put beside, nothing is replaced.') }),
      about: 'Where the items are put.',
    },
    reply: { is: 'json', schema: REPLY },
    errors: ERRORS,
  },
  'DELETE /rest/twinfold/rewind': {
    scope: 'operate',
    summary: 'Stops the rewind of a folder. What was rewound stays so.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
    errors: ERRORS,
  },
} as const satisfies Declarations
