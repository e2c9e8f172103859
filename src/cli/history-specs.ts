import { withoutUndefined } from './args/parsed-flags.ts'
import { checkCount } from './args/shared-flags.ts'
import { remoteCommand } from './remote-command.ts'
import { parseSince } from './since.ts'

export const HISTORY = remoteCommand({
  name: 'history',
  group: 'status',
  summary: 'list what changed here, when and by which device',
  description:
    'Lists the changes of a folder on this device, newest first: when, by which device, and whether they were made ' +
    'here or pulled. With a path: of this file, or of everything in this directory. Without a folder: of all folders.',
  arguments: [
    { name: 'folder', optional: true, completes: 'folders' },
    { name: 'path', optional: true },
  ],
  flags: [
    { name: 'since', value: 'TIME', description: 'Only changes after this time: RFC 3339, 10:00, yesterday, 2h' },
    { name: 'by', value: 'DEVICE', completes: 'devices', description: 'Only changes by this device' },
    { name: 'limit', value: 'COUNT', check: checkCount, description: 'At most this many, the latest ones (100)' },
  ],
  examples: ['history', 'history photos --since yesterday', 'history photos 2026/summer --by laptop --json'],
  remote: async ({ context, connection: { client }, args, flags }) => {
    const since = flags.text('since')
    const options = withoutUndefined({ by: flags.text('by'), limit: flags.number('limit') })
    return (await import('./history-command.ts')).history(context, client, args, {
      ...options,
      ...(since !== undefined && { since: parseSince(since, context.timeMs()) }),
      json: flags.isOn('json'),
    })
  },
})

export const REWIND = remoteCommand({
  name: 'rewind',
  group: 'status',
  summary: 'make a folder, directory or file as it was at a time',
  description:
    'Shows what a rewind would do: which items can be restored, which are gone, which are newer and stay. --apply ' +
    'does it, as new versions that reach all devices. What is replaced becomes an old version: a rewind is undone by ' +
    'another one. An interrupted rewind continues at the next start; Ctrl+C ends only the display. Without --to it ' +
    'shows the rewind that runs, or the last one.',
  arguments: [
    { name: 'folder', completes: 'folders' },
    { name: 'path', optional: true },
  ],
  flags: [
    { name: 'to', value: 'TIME', description: 'The moment: RFC 3339, 10:00, yesterday, 2h' },
    { name: 'beside', description: 'Put what changed since beside, and replace nothing' },
    { name: 'apply', description: 'Do it; without it, only show what would be done' },
    { name: 'yes', description: 'Also where items are replaced' },
    { name: 'stop', description: 'Stop the rewind that runs; what was rewound stays so' },
  ],
  examples: [
    'rewind photos --to 2h',
    'rewind photos 2026/summer --to yesterday --beside --apply',
    'rewind photos --to 2026-11-15T10:00:00Z --apply --yes',
    'rewind photos --stop',
  ],
  remote: async ({ context, connection: { client }, args, flags }) => {
    const to = flags.text('to')
    return (await import('./rewind-command.ts')).rewind(context, client, args, {
      ...(to !== undefined && { to: parseSince(to, context.timeMs(), '--to') }),
      beside: flags.isOn('beside'),
      apply: flags.isOn('apply'),
      yes: flags.isOn('yes'),
      stop: flags.isOn('stop'),
      json: flags.isOn('json'),
    })
  },
})
