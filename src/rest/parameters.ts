import { COUNT, INTEGER, TEXT } from './schema.ts'

/** Parameters that several routes have. */

export const FOLDER = { schema: TEXT, about: 'The id of the folder.', required: true } as const
export const FOLDER_OPTIONAL = { schema: TEXT, about: 'The id of the folder; all folders when absent.' } as const
export const DEVICE_OPTIONAL = { schema: TEXT, about: 'The id of a device.' } as const

export const PAGING = {
  page: { schema: INTEGER, about: 'The number of the page, from 1. An invalid number is read as 1.' },
  perpage: { schema: INTEGER, about: 'Entries per page; default 65536, at most 1048576.' },
} as const

/** Of the routes that Syncthing does not have. */
export const SMALL_PAGING = {
  page: {
    schema: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    about: 'The number of the page, from 1.',
    strict: true,
  },
  perpage: {
    schema: { type: 'integer', minimum: 1, maximum: 500 },
    about: 'Entries per page; default 100.',
    strict: true,
  },
} as const

/** The fields of every paged reply. */
export const PAGE = { page: COUNT, perpage: COUNT } as const
