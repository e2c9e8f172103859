import { FINDING_FLAGS } from './args/shared-flags.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { remoteCommand } from './remote-command.ts'

const PLACE = [
  { name: 'folder', completes: 'folders' },
  { name: 'path', optional: true, repeatable: true },
] as const

export const TRASH: CommandSpec = {
  name: 'trash',
  group: 'status',
  summary: 'list, restore and empty what other devices have deleted or replaced',
  flags: FINDING_FLAGS,
  examples: ['trash list photos', 'trash restore photos beach.jpg'],
  commands: [
    remoteCommand({
      name: 'list',
      summary: 'list what other devices have deleted or replaced, and its size',
      arguments: PLACE,
      examples: ['trash list photos', 'trash list photos Holidays --json'],
      remote: async ({ context, connection: { client }, args: [folder = '', ...paths], flags }) =>
        (await import('./trash-commands.ts')).listTrash(context, client, folder, paths, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'restore',
      summary: 'restore files, and directories with everything below, on all devices',
      description:
        'Restores the newest old version of the named files, and of everything below the named directories. All ' +
        'devices get them; a file that exists becomes an old version itself. "versions restore" restores an older one.',
      arguments: PLACE,
      flags: [{ name: 'yes', description: 'Restore the whole trash without asking, if no path is given' }],
      examples: ['trash restore photos beach.jpg', 'trash restore photos Holidays'],
      remote: async ({ context, connection: { client }, args: [folder = '', ...paths], flags }) => {
        const { restoreTrash } = await import('./trash-commands.ts')
        const options = { yes: flags.isOn('yes'), json: flags.isOn('json') }
        return restoreTrash(context, client, folder, paths, options)
      },
    }),
    remoteCommand({
      name: 'empty',
      summary: 'remove old versions for good: all, those of some paths, or those older than a time',
      arguments: PLACE,
      flags: [
        { name: 'older', value: 'TIME', description: 'Only what was archived before: a time, a date, or an age (7d)' },
        { name: 'yes', description: 'Remove them without asking' },
      ],
      examples: ['trash empty photos --older 7d --yes', 'trash empty photos Holidays --yes'],
      remote: async ({ context, connection: { client }, args: [folder = '', ...paths], flags }) => {
        const { emptyTrash } = await import('./trash-commands.ts')
        const options = withoutUndefined({ older: flags.text('older') })
        return emptyTrash(context, client, folder, paths, {
          ...options,
          yes: flags.isOn('yes'),
          json: flags.isOn('json'),
        })
      },
    }),
  ],
}
