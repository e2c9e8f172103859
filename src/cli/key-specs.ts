import { SCOPES, parseExpiry, type Scope } from '../core/access.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { FINDING_FLAGS } from './args/shared-flags.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import type { CommandSpec, RemoteHandler } from './args/types.ts'
import type { GrantOptions } from './key-commands.ts'
import { remoteCommand } from './remote-command.ts'

const SCOPE_SECTION = [
  'Scopes',
  'monitor: read everything but secrets, change nothing. operate: also scan, pause, resume, prioritise, resolve ' +
    'conflicts and restore versions. admin: everything.',
] as const

const GRANT_FLAGS: readonly FlagSpec[] = [
  {
    name: 'scope',
    value: 'SCOPE',
    choices: SCOPES,
    default: 'monitor',
    description: 'What it may do (default: monitor)',
  },
  {
    name: 'folder',
    value: 'FOLDER',
    repeatable: true,
    completes: 'folders',
    description: 'Limit it to this folder; all others are invisible. May be given several times',
  },
  {
    name: 'expires',
    value: 'TIME',
    check: (text) => (parseExpiry(text) === undefined ? 'use hours, days, weeks or years, such as 90d' : undefined),
    description: 'When it expires, from now: 12h, 90d, 4w, 1y (default: never)',
  },
]

type Flags = Parameters<RemoteHandler>[0]['flags']

function optionsOf(flags: Flags): GrantOptions {
  const scope: Scope = SCOPES.find((each) => each === flags.text('scope')) ?? 'monitor'
  const folders = flags.texts('folder') ?? []
  return {
    scope,
    ...(folders.length > 0 && { folders }),
    ...withoutUndefined({ expires: flags.text('expires') }),
    json: flags.isOn('json'),
  }
}

export const KEY: CommandSpec = {
  name: 'key',
  group: 'sharing',
  summary: 'add, list and revoke API keys with limits, for programs',
  flags: FINDING_FLAGS,
  examples: ['key add tray --scope operate', 'key list', 'key revoke tray'],
  commands: [
    remoteCommand({
      name: 'add',
      summary: 'add an API key with a scope, and print it this one time',
      description:
        'Adds an API key for one program. It is printed once and not stored: only its hash is. The key of the ' +
        'configuration stays valid and may do everything.',
      arguments: [{ name: 'name' }],
      flags: GRANT_FLAGS,
      sections: [SCOPE_SECTION],
      examples: ['key add tray --scope operate', 'key add photos-widget --folder photos --expires 90d'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./key-commands.ts')).addKey(context, client, name, optionsOf(flags)),
    }),
    remoteCommand({
      name: 'list',
      summary: 'list the keys: scope, folders, expiry and last use',
      examples: ['key list', 'key list --json'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./key-commands.ts')).listGrants(context, client, 'key', { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'revoke',
      summary: 'revoke a key, at once',
      arguments: [{ name: 'name' }],
      examples: ['key revoke tray'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./key-commands.ts')).revokeGrant(context, client, 'key', name, { json: flags.isOn('json') }),
    }),
  ],
}

export const USER: CommandSpec = {
  name: 'user',
  group: 'sharing',
  summary: 'add, list and remove users of the web page with limits',
  flags: FINDING_FLAGS,
  examples: ['user add guest --password-file guest.txt', 'user list', 'user remove guest'],
  commands: [
    remoteCommand({
      name: 'add',
      summary: 'add a user of the web page with a scope',
      description:
        'Adds a user who logs in on the web page beside its owner. The password is the first line of a file, or of ' +
        'the input with "-".',
      arguments: [{ name: 'name' }],
      flags: [
        ...GRANT_FLAGS,
        {
          name: 'password-file',
          value: 'FILE',
          default: '-',
          description: 'The password is the first line of this file (default: of the input)',
        },
      ],
      sections: [SCOPE_SECTION],
      examples: ['user add guest --password-file guest.txt', 'user add guest --folder photos --password-file -'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) => {
        const { addUser } = await import('./key-commands.ts')
        return addUser(context, client, name, { ...optionsOf(flags), passwordFile: flags.text('password-file') ?? '-' })
      },
    }),
    remoteCommand({
      name: 'list',
      summary: 'list the users beside the owner: scope, folders, expiry and last use',
      examples: ['user list'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./key-commands.ts')).listGrants(context, client, 'user', { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'remove',
      summary: 'remove a user and end their sessions',
      arguments: [{ name: 'name' }],
      examples: ['user remove guest'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./key-commands.ts')).revokeGrant(context, client, 'user', name, { json: flags.isOn('json') }),
    }),
  ],
}
