import type { InvitationsView, JoinResult } from '../../config/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { OpenInvitation } from '../../core/invitations/open-invitations.ts'
import {
  INVITATION_ROUTES,
  type JoinedJson,
  type NewInvitationJson,
  type OpenInvitationJson,
} from '../../rest/invitations.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK, json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'

const BODY_BYTES_MAX = 256 * 1024

/** Invitations of this device, and the use of those of others. */
export function invitationRoutes({ invitations }: { readonly invitations?: InvitationsView }): readonly Route[] {
  const view = (): InvitationsView => {
    if (invitations === undefined) throw new TwinfoldError('bad-request', 'this device has no network')
    return invitations
  }
  return bind(INVITATION_ROUTES, {
    'GET /rest/twinfold/invitations': () => json((invitations?.open ?? []).map(openJson)),
    'POST /rest/twinfold/invitations': async ({ request }) => {
      const { body } = INVITATION_ROUTES['POST /rest/twinfold/invitations']
      const wanted = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const { folders = [], type = 'sendreceive', expires } = wanted
      const { invitation, text, addresses } = await view().create({ folders, type, expires })
      return json({ ...openJson(invitation), invitation: text, addresses } satisfies NewInvitationJson)
    },
    'DELETE /rest/twinfold/invitations/:id': async ({ id }) => {
      if (await view().revoke(id)) return EMPTY_OK
      throw new TwinfoldError('file-missing', `there is no open invitation ${id}; it was used, revoked or has expired`)
    },
    'POST /rest/twinfold/join': async ({ request }) => {
      const { body } = INVITATION_ROUTES['POST /rest/twinfold/join']
      const { invitation, path, check = false } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      return json(joinedJson(await view().join({ text: invitation, path, check })))
    },
  })
}

function openJson({ id, folders, type, createdMs, expiresMs, triesLeft }: OpenInvitation): OpenInvitationJson {
  return { id, folders: [...folders], type, created: formatMs(createdMs), expires: formatMs(expiresMs), triesLeft }
}

function joinedJson({ device, name, addresses, expiresMs, isKnown, folders, warnings }: JoinResult): JoinedJson {
  return {
    device,
    name,
    addresses: [...addresses],
    expires: formatMs(expiresMs),
    known: isKnown,
    folders: folders.map(({ id, label, type, path, isNew, exists }) => ({ id, label, type, path, new: isNew, exists })),
    warnings: [...warnings],
  }
}
