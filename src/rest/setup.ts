import type { Declarations } from './declaration.ts'
import { BOOLEAN, TEXT, described, list, nullable, object, type Static } from './schema.ts'

const DOCUMENT = { description: 'A set-up file as JSON; `docs/twinfold.schema.json` is its JSON Schema.' } as const

const CHANGE = object({
  action: { enum: ['add', 'change', 'remove'] },
  object: described(TEXT, 'What has it, such as `folder photos`.'),
  field: described(TEXT, 'Empty: the object itself.'),
  from: described(nullable(TEXT), 'The value here as JSON; null where there is none, or where it is a secret.'),
  to: described(nullable(TEXT), 'The value of the file as JSON; null where there is none, or where it is a secret.'),
  secret: BOOLEAN,
})

const APPLIED = object({
  changes: described(list(CHANGE), 'What was changed, or, with `check`, what would be.'),
  drift: described(list(CHANGE), 'Changed here since the file set it, and therefore left as it is.'),
  leftovers: described(list(CHANGE), 'Made by an earlier file and not in this one; removed with `prune`.'),
})

const BODY = object(
  {
    document: DOCUMENT,
    check: described(BOOLEAN, 'Only compares; nothing is changed.'),
    prune: described(BOOLEAN, 'Removes what earlier files made and this one does not name.'),
    resetDrift: described(BOOLEAN, 'Sets again what was changed here since the file set it.'),
  },
  ['check', 'prune', 'resetDrift'],
)

export type SetupChangeJson = Static<typeof CHANGE>
export type AppliedSetupJson = Static<typeof APPLIED>

/** Setting a device up from a file. */
export const SETUP_ROUTES = {
  'GET /rest/twinfold/setup': {
    scope: 'admin',
    summary: 'Returns a set-up file of the running configuration: what differs from the defaults, without secrets.',
    reply: { is: 'json', schema: DOCUMENT },
  },
  'POST /rest/twinfold/setup': {
    scope: 'admin',
    summary: 'Applies a set-up file: changes only what it names, and repeats nothing. A wrong field changes nothing.',
    body: { schema: BODY, about: 'The file, and what may be done.' },
    reply: { is: 'json', schema: APPLIED },
    errors: { refused: { status: 409 }, 'folder-error': { status: 409 } },
    refusals: { 500: 'The configuration would not be valid, or a record cannot be read; the text gives the reason.' },
  },
} as const satisfies Declarations
