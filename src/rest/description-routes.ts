import type { Declarations } from './declaration.ts'
import { map } from './schema.ts'

const DOCUMENT = { is: 'json', schema: map({ description: 'The parts of an OpenAPI 3.1 document.' }) } as const

/** The description of the interface. */
export const DESCRIPTION_ROUTES = {
  'GET /rest/openapi.json': {
    scope: 'monitor',
    summary: 'Returns the OpenAPI 3.1 document of this interface.',
    reply: DOCUMENT,
  },
  'GET /api/openapi.json': {
    scope: 'monitor',
    summary: 'The same document for browsers with a session.',
    reply: DOCUMENT,
  },
  'GET /api': {
    scope: 'monitor',
    summary: 'The description of this interface as a web page.',
    reply: { is: 'other', type: 'text/html', about: 'An HTML page.' },
  },
  'GET /api/style.css': {
    scope: 'monitor',
    summary: 'The style sheet of that page.',
    reply: { is: 'other', type: 'text/css', about: 'The style sheet.' },
  },
} as const satisfies Declarations
