import { CAUSE_CODES } from '../core/remedies/cause.ts'
import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, INTEGER, TEXT, described, list, nullable, object, type Static } from './schema.ts'

/** Causes of errors of folders, the evidence for them, and what solves them. */

const ACTION = described(
  {
    enum: [
      'create-marker',
      'create-marker-anyway',
      'mount',
      'choose-place',
      'change-minimum',
      'change-home-minimum',
      'make-room',
      'raise-watches',
      'change-owner',
      'mount-writable',
      'rename',
      'check-disk',
      'retry',
    ],
  } as const,
  '`create-marker`: all known files are there; `create-marker-anyway`: some are not, and would count as deleted.',
)

const FILES = object({
  markerName: TEXT,
  hasRoot: described(BOOLEAN, 'Whether the directory of the folder is there.'),
  known: described(COUNT, 'The files that the index lists as ours.'),
  examined: described(COUNT, 'Those of them that were looked up.'),
  found: described(COUNT, 'Those of the examined ones that are there.'),
})

const SPACE = object({
  freeBytes: INTEGER,
  totalBytes: COUNT,
  minimum: described(object({ value: { type: 'number' }, unit: TEXT }), 'What the folder keeps free.'),
})

const WATCHES = object({
  setting: described(TEXT, 'The name of the limit for `sysctl`.'),
  allowed: described(nullable(COUNT), 'Its value; null if unknown.'),
})

const REMEDIES = list(
  object({
    folder: TEXT,
    about: described(
      { enum: ['folder', 'items', 'watch'] } as const,
      '`folder`: it has stopped; `items`: some of its items failed; `watch`: changes are found by rescans only.',
    ),
    cause: { enum: CAUSE_CODES },
    items: described(COUNT, 'The number of items, with `items`.'),
    error: described(TEXT, 'The error itself, of several items the first.'),
    message: described(TEXT, 'The cause in English, with its numbers.'),
    remedy: described(TEXT, 'What to do, in English; empty where nothing has to be done.'),
    actions: described(list(ACTION), 'The best first.'),
    command: described(nullable(TEXT), 'A line for a shell.'),
    path: described(nullable(TEXT), 'The directory of the folder.'),
    files: nullable(FILES),
    space: nullable(SPACE),
    watches: nullable(WATCHES),
  }),
)

export type RemediesJson = Static<typeof REMEDIES>

export const REMEDY_ROUTES = {
  'GET /rest/twinfold/remedies': {
    scope: 'monitor',
    summary: 'Lists the causes of errors of all folders, each with its evidence and what solves it.',
    reply: { is: 'json', schema: REMEDIES },
  },
  'POST /rest/twinfold/marker': {
    scope: 'admin',
    summary: 'Creates the marker of a folder again, if all of its known files are there.',
    query: {
      folder: FOLDER,
      force: {
        schema: { enum: ['true', 'false'] },
        about: 'Also if known files are missing, which then count as deleted; default false.',
      },
    },
    reply: { is: 'empty' },
    errors: { 'folder-missing': { status: 404 }, refused: { status: 409 } },
  },
} as const satisfies Declarations
