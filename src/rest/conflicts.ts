import { BOOLEAN, TEXT, described, list, map, object, type Static } from './schema.ts'

/** Resolving conflicts. */

export const RESOLVE_CONFLICTS_BODY = object({
  keep: described(
    { enum: ['original', 'copy'] } as const,
    '`original`: the conflict copies are removed; `copy`: each gets the name of its original.',
  ),
  names: described(list(TEXT), 'The paths of the conflict copies.'),
  mayRemove: described(
    BOOLEAN,
    'Whether a file that is not kept may be lost, where the folder keeps no old versions; else nothing is done there.',
  ),
})

export const RESOLVED_CONFLICTS = described(map(TEXT), 'The reason for each conflict copy that is unchanged.')

export type ResolvedConflictsJson = Static<typeof RESOLVED_CONFLICTS>
