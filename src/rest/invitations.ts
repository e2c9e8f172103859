import { INVITED_TYPES } from '../core/invitations/invitation-link.ts'
import type { Declarations } from './declaration.ts'
import { BOOLEAN, COUNT, TEXT, TIME, described, list, object, type Static } from './schema.ts'

const TYPE = described(
  { enum: INVITED_TYPES } as const,
  'The type that is proposed for the folders of the other device.',
)

const OPEN = {
  id: described(TEXT, 'Names the invitation; it is no secret.'),
  folders: described(list(TEXT), 'The ids of the folders that are shared with the device that uses it.'),
  type: TYPE,
  created: TIME,
  expires: TIME,
  triesLeft: described(COUNT, 'Wrong proofs until it is revoked.'),
}

const OPEN_INVITATION = object(OPEN)
const NEW_INVITATION = object({
  ...OPEN,
  invitation: described(TEXT, 'What is given to the other device. It is not stored and cannot be shown again.'),
  addresses: described(
    list(TEXT),
    'On which the other device tries to reach this one, beside those that discovery finds.',
  ),
})
const JOINED = object({
  device: described(TEXT, 'The device that invites.'),
  name: TEXT,
  addresses: list(TEXT),
  expires: described(TIME, 'By the clock of the other device, which decides.'),
  known: described(BOOLEAN, 'Whether the device was configured before.'),
  folders: list(
    object({
      id: TEXT,
      label: TEXT,
      type: TYPE,
      path: described(TEXT, 'The directory, absolute.'),
      new: described(BOOLEAN, 'Whether the folder is added; one that is there already keeps its path and type.'),
      exists: described(BOOLEAN, 'Whether the directory is there already.'),
    }),
  ),
  warnings: list(TEXT),
})

export type OpenInvitationJson = Static<typeof OPEN_INVITATION>
export type NewInvitationJson = Static<typeof NEW_INVITATION>
export type JoinedJson = Static<typeof JOINED>

/** Invitations: a device and folders by one string, with one consent on each side. */
export const INVITATION_ROUTES = {
  'GET /rest/twinfold/invitations': {
    scope: 'admin',
    summary: 'Lists the open invitations.',
    reply: { is: 'json', schema: list(OPEN_INVITATION) },
  },
  'POST /rest/twinfold/invitations': {
    scope: 'admin',
    summary: 'Makes an invitation for one other device, and returns it this one time.',
    body: {
      schema: object(
        {
          folders: described(list(TEXT), 'The ids of the folders to share; none: the devices are connected only.'),
          type: TYPE,
          expires: described(TEXT, 'When it expires, from now, as `30m`, `12h`, `1d`, `2w`, `30d`; a day when absent.'),
        },
        ['folders', 'type', 'expires'],
      ),
      about: 'What the other device gets.',
    },
    reply: { is: 'json', schema: NEW_INVITATION },
  },
  'DELETE /rest/twinfold/invitations/:id': {
    scope: 'admin',
    summary: 'Revokes an open invitation, at once.',
    reply: { is: 'empty' },
    errors: { 'file-missing': { status: 404 } },
  },
  'POST /rest/twinfold/join': {
    scope: 'admin',
    summary: 'Uses an invitation of another device: adds that device and its folders, and connects.',
    body: {
      schema: object(
        {
          invitation: described(TEXT, 'The invitation, or a text that has it in it.'),
          path: described(
            TEXT,
            'The directory of the folder, of several folders the directory above; below the default path when absent.',
          ),
          check: described(BOOLEAN, 'True: changes nothing, returns what would be done.'),
        },
        ['path', 'check'],
      ),
      about: 'The invitation.',
    },
    reply: { is: 'json', schema: JOINED },
    errors: { refused: { status: 409 } },
  },
} as const satisfies Declarations
