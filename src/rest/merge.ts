import type { Declarations } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, described, object, type Static } from './schema.ts'

/** The merged text of a conflict. */

const SIDE = object({ hash: described(TEXT, 'Names the content.') })

const MERGE = object(
  {
    mergeable: BOOLEAN,
    reason: described(
      { enum: ['no-base', 'overlap', 'not-text', 'too-large'] } as const,
      'Why there is no merged text. `no-base`: what both had before is not known here. `overlap`: both changed the ' +
        'same lines, or the merge program failed. `too-large`: more than 1 MiB.',
    ),
    merged: described(TEXT, 'The merged text.'),
    overlaps: described(COUNT, 'The number of places where both changed the same lines.'),
    left: described(SIDE, 'The file.'),
    right: described(SIDE, 'The conflict copy.'),
  },
  ['reason', 'merged', 'overlaps'],
)

export type MergeJson = Static<typeof MERGE>

export const MERGE_ROUTES = {
  'GET /rest/twinfold/conflicts/merge': {
    scope: 'operate',
    summary: 'Returns the merged text of a file and its conflict copy, where their changes do not overlap.',
    query: { folder: FOLDER, name: { schema: TEXT, about: 'The path of the conflict copy.', required: true } },
    reply: { is: 'json', schema: MERGE },
    errors: {
      'folder-missing': { status: 404 },
      'folder-not-running': { status: 404 },
      'folder-paused': { status: 409 },
      'file-missing': { status: 404 },
      refused: { status: 409 },
    },
  },
} as const satisfies Declarations
