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
