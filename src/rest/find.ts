import { BOOLEAN, TEXT, described, list, object, type Static } from './schema.ts'

/** The schema of `/rest/twinfold/find`, a search in all folders. */
export const FIND = object({
  items: described(
    list(object({ folder: TEXT, name: TEXT, type: { enum: ['file', 'directory', 'symlink'] } } as const)),
    'By folder, then by path.',
  ),
  truncated: described(BOOLEAN, 'There may be more.'),
})

export type FindJson = Static<typeof FIND>
