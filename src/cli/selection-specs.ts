import type { CommandSpec } from './args/types.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import { remoteCommand } from './remote-command.ts'

const YES: FlagSpec = { name: 'yes', description: 'Do not ask' }

const PATHS: CommandSpec['arguments'] = [
  { name: 'folder', completes: 'folders' },
  { name: 'path', repeatable: true },
]

/** What lies on this device, and what only on others. */
export const KEEP = remoteCommand({
  name: 'keep',
  group: 'sharing',
  summary: 'keep files and directories of a folder on this device',
  description:
    'Keeps files and directories of a folder on this device, that were dropped or not chosen yet: they are fetched. ' +
    'Shows what that is, and asks. The path "." is the whole folder.',
  arguments: PATHS,
  flags: [YES],
  examples: ['keep photos 2026/summer', 'keep photos 2026 notes.txt --yes', 'keep photos .'],
  remote: async ({ context, connection: { client }, args: [folder = '', ...keep], flags }) => {
    const { select } = await import('./selection-commands.ts')
    return select(context, client, folder, { keep }, { yes: flags.isOn('yes'), json: flags.isOn('json') })
  },
})

export const DROP = remoteCommand({
  name: 'drop',
  group: 'sharing',
  summary: 'remove files and directories from this device, and from no other',
  description:
    'Removes files and directories of a folder from this device, and keeps changes of them away. Nothing is deleted ' +
    'on other devices. Shows what is freed and who has it, and asks. Refused while this device has the only copy of ' +
    'a file. The path "." is the whole folder.',
  arguments: PATHS,
  flags: [
    YES,
    { name: 'force', description: 'Also files that no other device has: they are lost, or become old versions' },
  ],
  examples: ['drop photos 2019', 'drop photos 2019 raw --yes', 'drop photos . --yes'],
  remote: async ({ context, connection: { client }, args: [folder = '', ...drop], flags }) => {
    const { select } = await import('./selection-commands.ts')
    const options = { yes: flags.isOn('yes'), force: flags.isOn('force'), json: flags.isOn('json') }
    return select(context, client, folder, { drop }, options)
  },
})

export const SELECTION = remoteCommand({
  name: 'selection',
  group: 'sharing',
  summary: 'list what of a folder is kept on this device and what is dropped',
  arguments: [{ name: 'folder', completes: 'folders' }],
  examples: ['selection photos', 'selection photos --json'],
  remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
    (await import('./selection-commands.ts')).listSelection(context, client, folder, { json: flags.isOn('json') }),
})
