import { parseDuration } from '../core/duration.ts'
import { HOOK_CONDITIONS, HOOK_FORMATS, HOOK_UNITS } from '../core/hooks/hook.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { FINDING_FLAGS } from './args/shared-flags.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import type { CommandSpec } from './args/types.ts'
import { remoteCommand } from './remote-command.ts'

const CONDITION_SECTION = [
  'Conditions',
  'folder-in-sync: everything of a folder has arrived, here or on --device. folder-behind: something is missing for ' +
    'as long as --after. conflict: a conflict copy was made. guard-held: the deletion guard holds changes back. ' +
    'device-away: a device was not connected for as long as --after. error, error-gone: a folder has an error, or no ' +
    'more. disk-low: less is free than the folder requires. all-in-sync: calls again and again, once per --after, ' +
    'while all folders are in sync; the receiver notices when the calls stop.',
] as const

const ADD_FLAGS: readonly FlagSpec[] = [
  { name: 'on', value: 'CONDITION', choices: HOOK_CONDITIONS, description: 'The state it reports' },
  { name: 'folder', value: 'FOLDER', completes: 'folders', description: 'Only this folder (default: every folder)' },
  {
    name: 'device',
    value: 'DEVICE',
    completes: 'devices',
    description: 'Only this device; with a condition of folders the state on that device',
  },
  {
    name: 'after',
    value: 'TIME',
    check: (text) => (parseDuration(text, HOOK_UNITS) === undefined ? 'use 30s, 10m, 2h, 3d or 1w' : undefined),
    description: 'How long the state has to last; the interval of all-in-sync: 30s, 10m, 2h, 3d',
  },
  { name: 'url', value: 'URL', description: 'Send it to this address' },
  { name: 'exec', value: 'PROGRAM', description: 'Run this program on the device, with the arguments after the name' },
  { name: 'format', value: 'FORMAT', choices: HOOK_FORMATS, description: 'The body that is sent (default: json)' },
  { name: 'secret-file', value: 'FILE', description: 'Sign requests with the first line of this file' },
  { name: 'allow-private', description: 'The server may be on this machine or in a private network' },
]

export const HOOK: CommandSpec = {
  name: 'hook',
  group: 'sharing',
  summary: 'tell webhooks and programs about states of the device',
  flags: FINDING_FLAGS,
  examples: [
    'hook add phone --on error --url https://ntfy.sh/my-topic --format ntfy',
    'hook list',
    'hook test phone',
    'hook log phone',
    'hook remove phone',
  ],
  commands: [
    remoteCommand({
      name: 'add',
      summary: 'add a hook: a webhook or a program',
      description:
        'Adds a hook. It fires when a state has settled, once, and again only after the state was left; what is so ' +
        'already does not fire. Each delivery has an id, and is repeated until it succeeds, for three days.',
      arguments: [{ name: 'name' }, { name: 'args', optional: true, repeatable: true }],
      flags: ADD_FLAGS,
      sections: [CONDITION_SECTION],
      examples: [
        'hook add phone --on error --url https://ntfy.sh/my-topic --format ntfy',
        'hook add alive --on all-in-sync --after 10m --url https://hc-ping.com/my-check',
        'hook add backup --on folder-in-sync --folder photos --exec /usr/local/bin/backup -- --full',
      ],
      remote: async ({ context, connection: { client }, args: [name = '', ...args], flags }) => {
        const text = (flag: string) => flags.text(flag)
        const { addHook } = await import('./hook-commands.ts')
        const options = withoutUndefined({
          on: text('on'),
          folder: text('folder'),
          device: text('device'),
          after: text('after'),
          url: text('url'),
          exec: text('exec'),
          format: text('format'),
          secretFile: text('secret-file'),
        })
        const switches = { allowPrivate: flags.isOn('allow-private'), json: flags.isOn('json') }
        return addHook(context, client, name, { ...options, ...switches, args })
      },
    }),
    remoteCommand({
      name: 'list',
      summary: 'list the hooks and their last deliveries',
      examples: ['hook list', 'hook list --json'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./hook-commands.ts')).listHooks(context, client, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'test',
      summary: 'deliver a test of a hook now',
      arguments: [{ name: 'name' }],
      examples: ['hook test phone'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./hook-commands.ts')).testHook(context, client, name, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'log',
      summary: 'list the last deliveries of a hook, newest first',
      arguments: [{ name: 'name' }],
      examples: ['hook log phone'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./hook-commands.ts')).logOfHook(context, client, name, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'remove',
      summary: 'remove a hook, with what waits for its delivery',
      arguments: [{ name: 'name' }],
      examples: ['hook remove phone'],
      remote: async ({ context, connection: { client }, args: [name = ''], flags }) =>
        (await import('./hook-commands.ts')).removeHook(context, client, name, { json: flags.isOn('json') }),
    }),
  ],
}
