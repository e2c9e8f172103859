import type { RouteErrors } from './declaration.ts'
import { PAGE } from './parameters.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, map, nullable, object, type Static } from './schema.ts'

/** Conflicts: the list, the comparison of the two files of one, and how they are resolved. */

const HASH = described(TEXT, 'Names the content; POST takes it to refuse what was changed since.')

const SIDE = {
  sizeBytes: COUNT,
  modified: TIME,
  modifiedBy: described(TEXT, 'The short id of the device that changed it last.'),
  hash: HASH,
} as const

export const CONFLICTS = object({
  total: COUNT,
  ...PAGE,
  items: described(
    list(
      object({
        folder: TEXT,
        name: described(TEXT, 'The path of the conflict copy.'),
        original: described(TEXT, 'The file that it is a conflict copy of, which may no longer exist.'),
        wonBy: described(
          TEXT,
          'The short id in the name of the copy: the device whose version became the file. Empty if there is none.',
        ),
        ...SIDE,
        file: described(nullable(object(SIDE)), 'The file; null where there is none. The fields above are the copy’s.'),
      }),
    ),
    'By folder, then by path.',
  ),
})

export type ConflictsJson = Static<typeof CONFLICTS>
export type ConflictJson = ConflictsJson['items'][number]

export const CONFLICT_COUNTS = described(map(COUNT), 'By folder id; folders without a conflict copy are absent.')

export type ConflictCountsJson = Static<typeof CONFLICT_COUNTS>

const PARTS = described(
  list(object({ from: COUNT, to: COUNT })),
  'Parts of the line that differ, in UTF-16 units; none where the whole line does.',
)

export const CONFLICT_DIFF = object(
  {
    folder: TEXT,
    name: TEXT,
    original: TEXT,
    kind: described(
      { enum: ['same', 'text', 'picture', 'other'] } as const,
      '`same`: both have the same content. `other`: they cannot be compared here.',
    ),
    reason: described(
      { enum: ['no-file', 'too-large', 'not-text', 'encrypted'] } as const,
      'Why the texts are not compared. `too-large`: more than 1 MiB, or 60,000 lines.',
    ),
    left: described(
      nullable(object({ ...SIDE, text: TEXT }, ['text'])),
      'The file, with its text where texts are compared; null where there is none.',
    ),
    right: described(object({ ...SIDE, text: TEXT }, ['text']), 'The conflict copy.'),
    changes: described(
      list(
        object({
          leftStart: described(COUNT, 'The first line, from 0. Lines end with their line feed.'),
          leftCount: COUNT,
          rightStart: COUNT,
          rightCount: COUNT,
          words: described(
            list(object({ left: PARTS, right: PARTS })),
            'What differs inside the first lines of the region, as far as it was compared.',
          ),
        }),
      ),
      'The regions that differ, ascending.',
    ),
  },
  ['reason'],
)

export type ConflictDiffJson = Static<typeof CONFLICT_DIFF>

export const DIFF_ERRORS = {
  'folder-missing': { status: 404 },
  'file-missing': { status: 404 },
  refused: { status: 409 },
} as const satisfies RouteErrors

export const RESOLVE_ERRORS = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  refused: { status: 409 },
} as const satisfies RouteErrors

export const RESOLVE_CONFLICTS_BODY = object(
  {
    keep: described(
      { enum: ['original', 'copy', 'both', 'merged'] } as const,
      '`original`: the conflict copies are removed; `copy`: each gets the name of its original; `both`: each gets an ' +
        'ordinary name with the device and the date, as `plan (desk 2026-01-31).txt`; `merged`: `merged` becomes the ' +
        'file, and the copy is removed.',
    ),
    names: described(list(TEXT), 'The paths of the conflict copies.'),
    mayRemove: described(
      BOOLEAN,
      'Whether a file that is not kept may be lost, where the folder keeps no old versions; else it stays as it is.',
    ),
    shown: described(
      map(object({ left: TEXT, right: TEXT })),
      'By path of a copy the `hash` of the file, empty where there was none, and of the copy. Status 409, nothing ' +
        'changed, where one of them has another content now.',
    ),
    merged: described(TEXT, 'The text of the merged file, of one conflict; at most 2 MiB.'),
  },
  ['shown', 'merged'],
)

export const RESOLVED_CONFLICTS = described(map(TEXT), 'The reason for each conflict copy that is unchanged.')

export type ResolvedConflictsJson = Static<typeof RESOLVED_CONFLICTS>
