import type { Declarations } from './declaration.ts'
import { FOLDER, SMALL_PAGING } from './parameters.ts'
import { COUNT, TEXT, TIME, described, list, map, object, type Static } from './schema.ts'

/** The files that other devices have deleted and that stay here. */

const KEPT = object({
  total: described(COUNT, 'The number of kept files, of all pages.'),
  bytes: described(COUNT, 'Their sizes together.'),
  page: COUNT,
  perpage: COUNT,
  items: described(
    list(
      object({
        name: TEXT,
        sizeBytes: COUNT,
        modified: TIME,
        deleted: described(TIME, 'When it was deleted.'),
        deletedBy: described(TEXT, 'The short id of the device that deleted it.'),
      }),
    ),
    'By path.',
  ),
})

export type KeptJson = Static<typeof KEPT>

const CHANGE = object(
  {
    action: described(
      { enum: ['bring-back', 'delete'] } as const,
      '`bring-back`: all devices get the files again; `delete`: they are deleted here, too, and become old versions ' +
        'where the folder has some.',
    ),
    names: described(list(TEXT), 'The paths; all kept files when absent.'),
  },
  ['names'],
)

const UNCHANGED = described(map(TEXT), 'The reason for each file that stays kept.')

const NO_FOLDER = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
} as const

export const KEPT_ROUTES = {
  'GET /rest/twinfold/kept': {
    scope: 'monitor',
    summary: 'Lists the files of a folder that other devices have deleted and that stay here.',
    query: { folder: FOLDER, ...SMALL_PAGING },
    reply: { is: 'json', schema: KEPT },
    errors: NO_FOLDER,
  },
  'POST /rest/twinfold/kept': {
    scope: 'admin',
    summary: 'Brings kept files back on all devices, or deletes them here, too.',
    query: { folder: FOLDER },
    body: { schema: CHANGE, about: 'Up to 10,000 kept files, or all of them, and what becomes of them.' },
    reply: { is: 'json', schema: UNCHANGED },
    errors: NO_FOLDER,
  },
} as const satisfies Declarations
