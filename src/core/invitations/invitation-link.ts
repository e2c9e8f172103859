import type { FolderTypeName } from '../config/config.ts'

/** What declarations and the page use of invitations: nothing here needs Node. */

/** The types that are proposed. Encrypted folders are left out: their password is agreed on in another way. */
export const INVITED_TYPES = ['sendreceive', 'sendonly', 'receiveonly'] as const satisfies readonly FolderTypeName[]
export type InvitedType = (typeof INVITED_TYPES)[number]

/** The part after `#` never reaches a server, if the link is opened in a browser. */
export const INVITATION_PREFIX = 'twinfold://join#'
/** Of a pasted text, with whatever stands around the invitation. */
const TEXT_LENGTH_MAX = 64 * 1024

/** Where an invitation begins in a text; -1 for a text without one. */
export function invitationStart(text: string): number {
  return text.length > TEXT_LENGTH_MAX ? -1 : text.toLowerCase().indexOf(INVITATION_PREFIX)
}
