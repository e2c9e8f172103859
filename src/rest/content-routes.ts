import type { Declarations, RouteErrors } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { TEXT } from './schema.ts'

/** How the content of a file is refused. */
const CONTENT_ERRORS = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
  'folder-paused': { status: 409 },
  'file-missing': { status: 404 },
  refused: { status: 409 },
  'content-encrypted': { status: 409 },
  'content-unavailable': { status: 503 },
} as const satisfies RouteErrors

const QUERY = {
  folder: FOLDER,
  file: { schema: TEXT, about: 'The path of the file in the folder.', required: true },
  download: { schema: { enum: ['1'] }, about: 'A browser saves the file instead of showing it.' },
} as const

const REFUSALS = {
  206: 'The header `Range` names one range of bytes; several ranges are answered with the whole file.',
  304: 'The file is the one that `If-None-Match` or `If-Modified-Since` names.',
  416: 'The range begins after the end of the file.',
} as const

/** Contents of files, also of those that are not on this device. */
export const CONTENT_ROUTES = {
  'GET /rest/twinfold/content': {
    scope: 'monitor',
    summary:
      'Returns the newest version of a file, from this disk or block by block from connected devices, each block ' +
      'verified. Nothing is kept.',
    query: QUERY,
    reply: { is: 'other', type: '*/*', about: 'The file, with the type of its extension.' },
    errors: CONTENT_ERRORS,
    refusals: REFUSALS,
  },
  'HEAD /rest/twinfold/content': {
    scope: 'monitor',
    summary: 'Returns size, time, type and entity tag of the newest version of a file.',
    query: QUERY,
    reply: { is: 'empty' },
    errors: CONTENT_ERRORS,
    refusals: { 304: REFUSALS[304] },
  },
} as const satisfies Declarations
