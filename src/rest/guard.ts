import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, object, type Static } from './schema.ts'

/** The deletion guard of a folder. */

const SIDE = { enum: ['local', 'remote'] } as const

const LOSS = {
  origin: described(TEXT, '`local`, or the id of the device that caused most of it.'),
  since: TIME,
  deletions: described(COUNT, 'Deleted files.'),
  truncations: described(COUNT, 'Files that became empty.'),
} as const

const NOTICE = object({
  ...LOSS,
  kind: described(
    { enum: ['deleted', 'rewritten'] } as const,
    '`deleted`: by others, and kept as old versions; `rewritten`: replaced by files that look encrypted, so that old ' +
      'versions are not cleaned up.',
  ),
})

const HELD = { ...LOSS, side: described(SIDE, '`local`: found by a scan of this device, and not announced.') } as const

/** Without the names. */
export const GUARD_SUMMARY = object({ held: list(object(HELD)), notices: list(NOTICE) })

export type GuardSummaryJson = Static<typeof GUARD_SUMMARY>

const GUARD = object({
  enabled: BOOLEAN,
  trash: described(BOOLEAN, 'What other devices delete becomes an old version: it is not held.'),
  held: list(object({ ...HELD, examples: described(list(TEXT), 'Some of the files, at most 20.') })),
  notices: described(list(NOTICE), 'What was not held.'),
})

export type GuardJson = Static<typeof GUARD>

const ERRORS = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
  refused: { status: 409 },
} as const

const WHAT = {
  folder: FOLDER,
  side: {
    schema: TEXT,
    about: '`local` for what this device has lost, `remote` for what others have; both when absent.',
  },
} as const

export const GUARD_ROUTES = {
  'GET /rest/twinfold/guard': {
    scope: 'monitor',
    summary: 'Returns what the deletion guard of a folder holds, and what it has noticed.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: GUARD },
    errors: ERRORS,
  },
  'POST /rest/twinfold/guard/apply': {
    scope: 'admin',
    summary: 'Lets go what the guard holds: deletes the files here, too, or announces their deletion.',
    query: WHAT,
    reply: { is: 'empty' },
    errors: ERRORS,
  },
  'POST /rest/twinfold/guard/refuse': {
    scope: 'operate',
    summary: 'Brings back the files whose loss the guard holds: on the other devices, or here, from other devices.',
    query: WHAT,
    reply: { is: 'empty' },
    errors: ERRORS,
  },
  'POST /rest/twinfold/guard/dismiss': {
    scope: 'operate',
    summary: 'Removes what the guard has noticed; old versions are cleaned up again.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
    errors: ERRORS,
  },
} as const satisfies Declarations
