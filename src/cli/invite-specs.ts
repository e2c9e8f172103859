import { parseDuration } from '../core/duration.ts'
import { INVITED_TYPES } from '../core/invitations/invitation-link.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { remoteCommand } from './remote-command.ts'

export const INVITE: CommandSpec = remoteCommand({
  name: 'invite',
  group: 'sharing',
  summary: 'invite another device to folders, by one string',
  description:
    'Prints an invitation for one other device, which "join" uses there: it adds both devices to each other and ' +
    'shares the folders, without a further question on either side. Keep it secret: who uses it first gets ' +
    'the folders. It is not stored and cannot be shown again.',
  flags: [
    {
      name: 'folder',
      value: 'FOLDER',
      repeatable: true,
      completes: 'folders',
      description: 'Share this folder; may be given several times (default: connect the devices only)',
    },
    {
      name: 'type',
      value: 'TYPE',
      choices: INVITED_TYPES,
      description: 'Proposed type of the folders on the other device (default: sendreceive)',
    },
    {
      name: 'expires',
      value: 'TIME',
      check: (text) =>
        parseDuration(text, 'mhdw') === undefined ? 'use minutes, hours, days or weeks, such as 1d' : undefined,
      description: 'When it expires, from now: 30m, 12h, 1d, 2w (default: 1d)',
    },
    { name: 'qr', description: 'Print it as a QR code, too' },
  ],
  examples: ['invite --folder photos', 'invite --folder photos --type receiveonly --expires 2h --qr', 'invite list'],
  remote: async ({ context, connection: { client }, flags }) =>
    (await import('./invite-commands.ts')).invite(context, client, {
      ...withoutUndefined({
        type: INVITED_TYPES.find((type) => type === flags.text('type')),
        expires: flags.text('expires'),
      }),
      folders: flags.texts('folder') ?? [],
      qr: flags.isOn('qr'),
      json: flags.isOn('json'),
    }),
  commands: [
    remoteCommand({
      name: 'list',
      summary: 'list the open invitations',
      examples: ['invite list'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./invite-commands.ts')).listInvitations(context, client, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'revoke',
      summary: 'revoke an open invitation, at once',
      arguments: [{ name: 'id' }],
      examples: ['invite revoke 3f1c0a9be27d5514'],
      remote: async ({ context, connection: { client }, args: [id = ''], flags }) =>
        (await import('./invite-commands.ts')).revokeInvitation(context, client, id, { json: flags.isOn('json') }),
    }),
  ],
})

export const JOIN: CommandSpec = remoteCommand({
  name: 'join',
  group: 'sharing',
  summary: 'use an invitation of another device',
  description:
    'Adds the device that invites and its folders, and connects. With "-" the invitation is read from the input, so ' +
    'that neither the history of the shell nor the list of processes shows it.',
  arguments: [{ name: 'invitation' }],
  flags: [
    {
      name: 'path',
      value: 'DIR',
      description: 'Directory for the files, of several folders the one above them (default: below the default path)',
    },
    { name: 'check', description: 'Print what would be done, and change nothing' },
  ],
  examples: ['join twinfold://join#1CiBl… --path ~/Photos', 'join - < invitation.txt'],
  remote: async ({ context, connection: { client }, args: [invitation = ''], flags }) =>
    (await import('./invite-commands.ts')).join(context, client, invitation, {
      ...withoutUndefined({ path: flags.text('path') }),
      check: flags.isOn('check'),
      json: flags.isOn('json'),
    }),
})
