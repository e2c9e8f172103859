import type { Declarations } from './declaration.ts'
import { TEXT, described, list, object } from './schema.ts'

/** The undo of what a client has changed. */

const BODY = object({
  tokens: described(
    list(TEXT),
    'From the header `X-Twinfold-Undo` of the replies to the changes. A request that has this header gets a token if ' +
      'what it changes can be undone.',
  ),
})

export const UNDO_ROUTES = {
  'POST /rest/twinfold/undo': {
    scope: 'operate',
    summary:
      'Undoes changes of the configuration or of ignore patterns, and resolved conflicts, all or none. Each can be ' +
      'undone once, within an hour, until the daemon ends. Status 409, nothing changed, if something was changed ' +
      'since.',
    body: { schema: BODY, about: 'The changes.' },
    reply: { is: 'empty' },
    errors: { refused: { status: 409 } },
  },
} as const satisfies Declarations
