import { BOOLEAN, COUNT, TEXT, described, list, object, type Static } from './schema.ts'

/** How a reply to a search ends. */
export const SEARCH_END = {
  searched: described(COUNT, 'How many names this request has compared.'),
  truncated: described(BOOLEAN, 'There may be more: exactly if there is `next`.'),
  next: described(
    TEXT,
    'Where the search goes on: `from` of the next request. Missing once all names have been searched. It is there ' +
      'when the limit is reached, and when the request has worked for about 30 ms, even if nothing was found.',
  ),
} as const

/** The parameter of a search that goes on. */
export const SEARCH_FROM = {
  schema: TEXT,
  about: 'Goes on at `next` of the reply before, with the same text; without it the search begins.',
} as const

/** The schema of `/rest/twinfold/find`, a search in all folders. */
export const FIND = object(
  {
    items: described(
      list(object({ folder: TEXT, name: TEXT, type: { enum: ['file', 'directory', 'symlink'] } } as const)),
      'By the ID of the folder, then by path.',
    ),
    ...SEARCH_END,
  },
  ['next'],
)

export type FindJson = Static<typeof FIND>
