import { BOOLEAN, TEXT, about, list, object, type Static } from './schema.ts'

/** The schema of `/rest/twinfold/find`, a search in all folders. */
export const FIND = object({
  items: about(
    list(object({ folder: TEXT, name: TEXT, type: { enum: ['file', 'directory', 'symlink'] } } as const)),
    'By folder, then by path.',
  ),
  truncated: about(BOOLEAN, 'There may be more.'),
})

export type FindJson = Static<typeof FIND>
