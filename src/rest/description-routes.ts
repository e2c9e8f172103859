import type { Declarations } from './declaration.ts'
import { map } from './schema.ts'

const DOCUMENT = { is: 'json', schema: map({ description: 'The parts of an OpenAPI 3.1 document.' }) } as const

/** The interface told about itself. */
export const DESCRIPTION_ROUTES = {
  'GET /rest/openapi.json': { summary: 'Describes this interface as an OpenAPI 3.1 document.', reply: DOCUMENT },
  'GET /api/openapi.json': {
    summary: 'The same document for browsers, which have a session but no key.',
    reply: DOCUMENT,
  },
  'GET /api': {
    summary: 'Shows the description of this interface as a page to read.',
    reply: { is: 'other', type: 'text/html', about: 'A page for people.' },
  },
  'GET /api/style.css': {
    summary: 'How that page looks.',
    reply: { is: 'other', type: 'text/css', about: 'The style of the page.' },
  },
} as const satisfies Declarations
