import { SCOPES } from '../core/access.ts'
import type { Declarations } from './declaration.ts'
import { TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

const SCOPE = { enum: SCOPES } as const
const NAME = described(TEXT, '1 to 64 letters, digits and `.` `_` `@` `-`.')
const FOLDERS = described(nullable(list(TEXT)), 'The ids of the folders that it is limited to; null: all folders.')

const GRANT = {
  name: NAME,
  scope: SCOPE,
  folders: FOLDERS,
  created: TIME,
  expires: described(nullable(TIME), 'Null: never.'),
  lastUsed: described(nullable(TIME), 'Null: never.'),
}
const WANTED = {
  name: NAME,
  scope: SCOPE,
  folders: described(list(TEXT), 'The ids of the folders to limit it to; all folders when absent. Not for admin.'),
  expires: described(
    TEXT,
    'When it expires, from now: hours, days, weeks or years, as `12h`, `90d`, `4w`, `1y`; never when absent.',
  ),
}

const KEY = object(GRANT)
const NEW_KEY = object({ ...GRANT, key: described(TEXT, 'The key. It is not stored and cannot be shown again.') })

export type GrantJson = Static<typeof KEY>
export type NewKeyJson = Static<typeof NEW_KEY>

const MISSING = { 'file-missing': { status: 404 } } as const

/** Keys with a scope, and users of the page beside its owner. */
export const KEY_ROUTES = {
  'GET /rest/twinfold/keys': {
    scope: 'admin',
    summary: 'Lists the keys that were added to the API key of the configuration.',
    reply: { is: 'json', schema: list(KEY) },
  },
  'POST /rest/twinfold/keys': {
    scope: 'admin',
    summary: 'Adds a key with a scope, and returns it this one time.',
    body: { schema: object(WANTED, ['folders', 'expires']), about: 'The key to add.' },
    reply: { is: 'json', schema: NEW_KEY },
  },
  'DELETE /rest/twinfold/keys/:id': {
    scope: 'admin',
    summary: 'Revokes a key by its name, at once: its open streams and downloads end, too.',
    reply: { is: 'empty' },
    errors: MISSING,
  },
  'GET /rest/twinfold/users': {
    scope: 'admin',
    summary: 'Lists the users of the web page beside the one of the configuration.',
    reply: { is: 'json', schema: list(KEY) },
  },
  'POST /rest/twinfold/users': {
    scope: 'admin',
    summary: 'Adds a user of the web page with a scope.',
    body: {
      schema: object({ ...WANTED, password: TEXT }, ['folders', 'expires']),
      about: 'The user to add. The page must have a user and a password of its own.',
    },
    reply: { is: 'json', schema: KEY },
    errors: { refused: { status: 409 } },
    refusals: { 503: 'The password cannot be hashed; the text gives the reason, and nothing is changed.' },
  },
  'DELETE /rest/twinfold/users/:id': {
    scope: 'admin',
    summary: 'Removes a user of the web page by its name, and ends its sessions.',
    reply: { is: 'empty' },
    errors: MISSING,
  },
} as const satisfies Declarations
