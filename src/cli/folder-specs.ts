import type { CommandSpec } from './args/types.ts'
import { remoteCommand } from './remote-command.ts'

/** Subcommands of `folder` that change with whom it is shared, or whose changes win. */
export const FOLDER_ACTIONS: readonly CommandSpec[] = [
  remoteCommand({
    name: 'share',
    summary: 'share a folder with more devices, by ID or name',
    arguments: [
      { name: 'folder', completes: 'folders' },
      { name: 'device', repeatable: true, completes: 'devices' },
    ],
    examples: ['folder share photos laptop phone'],
    remote: async ({ context, connection: { client }, args: [folder = '', ...devices], flags }) =>
      (await import('./share-commands.ts')).folderShare(context, client, folder, devices, { json: flags.isOn('json') }),
  }),
  remoteCommand({
    name: 'unshare',
    summary: 'stop sharing a folder with devices; files are kept on all of them',
    arguments: [
      { name: 'folder', completes: 'folders' },
      { name: 'device', repeatable: true, completes: 'devices' },
    ],
    examples: ['folder unshare photos phone'],
    remote: async ({ context, connection: { client }, args: [folder = '', ...devices], flags }) =>
      (await import('./share-commands.ts')).folderUnshare(context, client, folder, devices, {
        json: flags.isOn('json'),
      }),
  }),
  remoteCommand({
    name: 'revert',
    summary: 'undo the local changes in a receive-only folder',
    description:
      'Undoes the local changes in a receive-only folder: items that only exist here are removed (to the old ' +
      'versions, if enabled), the rest is fetched again.',
    arguments: [{ name: 'folder', completes: 'folders' }],
    examples: ['folder revert photos'],
    remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
      (await import('./share-commands.ts')).folderRevert(context, client, folder, { json: flags.isOn('json') }),
  }),
  remoteCommand({
    name: 'override',
    summary: 'make the state of a send-only folder that of all devices',
    description:
      'Makes the local state of a send-only folder the state of all devices: changes made elsewhere are undone ' +
      'there, and items that only others have are deleted there.',
    arguments: [{ name: 'folder', completes: 'folders' }],
    examples: ['folder override photos'],
    remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
      (await import('./share-commands.ts')).folderOverride(context, client, folder, { json: flags.isOn('json') }),
  }),
]
