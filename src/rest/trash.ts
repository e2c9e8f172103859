import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** What other devices have deleted or replaced, and is kept for a time. */

const TRASH = object({
  files: described(COUNT, 'The number of all old versions.'),
  sizeBytes: described(COUNT, 'Their sizes together.'),
  maxBytes: described(nullable(COUNT), 'The oldest are removed above this; null is unlimited.'),
  next: described(nullable(TEXT), 'The cursor of the next page; null on the last one.'),
  items: described(
    list(
      object({
        name: TEXT,
        time: described(TIME, 'When it was archived, on this device; it identifies the version.'),
        sizeBytes: COUNT,
      }),
    ),
    'By path, the newest version first.',
  ),
})

export type TrashJson = Static<typeof TRASH>

const EMPTIED = object({
  files: described(COUNT, 'The number of old versions that were removed.'),
  sizeBytes: described(COUNT, 'Their sizes together.'),
})

const EMPTY = object(
  {
    paths: described(list(TEXT), 'Files, and directories with everything below; everything when absent.'),
    before: described(TIME, 'Only what was archived before.'),
  },
  ['paths', 'before'],
)

const REFUSED = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
  'folder-error': { status: 409 },
} as const

export const TRASH_ROUTES = {
  'GET /rest/twinfold/trash': {
    scope: 'monitor',
    summary:
      'Lists what other devices have deleted or replaced and what is kept as old versions, with the space they take. ' +
      '`POST /rest/folder/versions` restores it.',
    query: {
      folder: FOLDER,
      path: { schema: TEXT, about: 'A file, or a directory with everything below; the whole folder when absent.' },
      after: { schema: TEXT, about: 'The cursor of the page before.' },
      perpage: {
        schema: { type: 'integer', minimum: 0, maximum: 500 },
        about: 'Entries per page; default 100. 0 returns only the totals, without reading the disk again.',
        strict: true,
      },
    },
    reply: { is: 'json', schema: TRASH },
    errors: REFUSED,
  },
  'POST /rest/twinfold/trash/empty': {
    scope: 'admin',
    summary: 'Removes old versions for good: all of a folder, those of some paths, or those archived before a time.',
    query: { folder: FOLDER },
    body: { schema: EMPTY, about: 'What is removed; everything where nothing is given.' },
    reply: { is: 'json', schema: EMPTIED },
    errors: REFUSED,
  },
} as const satisfies Declarations
