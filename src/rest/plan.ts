import { EFFECTS } from '../core/records/effect.ts'
import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { COUNT, TEXT, described, list, object, type Static } from './schema.ts'

/** What an action on a folder will do. */

const PLAN = object({
  folder: TEXT,
  action: TEXT,
  effects: described(
    list(
      object({
        effect: described(
          { enum: EFFECTS } as const,
          '`fetch`: a file that is not there is obtained; `replace`: a file gets another version; `make`: a ' +
            'directory or symlink is made; `metadata`: only mode or time is set; `delete`; `conflict`: a file ' +
            'that was changed there, too, is kept as a conflict copy; `collect`: deleted elsewhere, the file ' +
            'stays; `announce`: a change of this device is sent; `ignore`: it stays on the disk and is no ' +
            'longer synchronized; `leave`: it differs from the newest version and stays as it is; `lose`: no ' +
            'device that is left has this version; `restore`: it becomes as it was at a moment; `keep`: it is ' +
            'newer than that moment, or its name is in use, and stays.',
        ),
        device: described(TEXT, 'Where it happens: the id of a device, or empty for this one.'),
        items: COUNT,
        bytes: described(COUNT, 'The sizes of the files. Less is transferred where parts of them are there already.'),
        examples: described(list(TEXT), 'The first ten paths.'),
      }),
    ),
    'Exact counts, by the last scan and what other devices have announced; of names that only the disk has, which ' +
      'other ignore patterns would announce, the first 50,000 are examined. Empty if nothing happens.',
  ),
})

export type PlanJson = Static<typeof PLAN>

const ERRORS = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
  'ignore-invalid': { status: 400 },
  refused: { status: 409 },
} as const

export const PLAN_ROUTES = {
  'GET /rest/twinfold/plan': {
    scope: 'monitor',
    summary: 'Returns what an action would do to the items of a folder, here and on other devices. Changes nothing.',
    query: {
      folder: FOLDER,
      action: {
        schema: TEXT,
        about:
          '`resume`, `override`, `revert`, `remove`, `type:TYPE` (a new type of the folder), `share:DEVICE`, ' +
          '`unshare:DEVICE` or `rewind:TIME`; default `resume`.',
      },
    },
    reply: { is: 'json', schema: PLAN },
    errors: ERRORS,
  },
  'POST /rest/twinfold/plan': {
    scope: 'monitor',
    summary: 'Returns what other ignore patterns would do to the items of a folder. Changes nothing.',
    query: { folder: FOLDER },
    body: {
      schema: object({ ignore: described(list(TEXT), 'The lines of the ignore file, at most 2,000.') }),
      about: 'The patterns.',
    },
    reply: { is: 'json', schema: PLAN },
    errors: ERRORS,
  },
} as const satisfies Declarations
