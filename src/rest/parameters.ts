import { COUNT, INTEGER, TEXT } from './schema.ts'

/** Parameters that several routes have. */

export const FOLDER = { schema: TEXT, about: 'The id of the folder.', required: true } as const
export const FOLDER_OPTIONAL = { schema: TEXT, about: 'The id of the folder; all folders when absent.' } as const
export const DEVICE_OPTIONAL = { schema: TEXT, about: 'The id of a device.' } as const

export const PAGING = {
  page: { schema: INTEGER, about: 'Which page, from 1. A bad one is the first.' },
  perpage: { schema: INTEGER, about: 'Entries on a page, 65536 unless told and at most 1048576.' },
} as const

/** What a paged reply says about itself. */
export const PAGE = { page: COUNT, perpage: COUNT } as const
