import { TwinfoldError } from '../core/errors.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { YES_FLAG } from './plan-specs.ts'
import { remoteCommand } from './remote-command.ts'

/** Subcommands of `folder` that change where it is, with whom it is shared, or whose changes win. */
export const FOLDER_ACTIONS: readonly CommandSpec[] = [
  remoteCommand({
    name: 'move',
    summary: 'move a folder with its files to another directory, also on another disk',
    description:
      'Moves a folder with its files, old versions and ignore patterns to a directory that is missing or empty. On ' +
      'the same disk it is renamed; otherwise everything is copied, verified, then removed from the old place. The ' +
      'folder does not run meanwhile, nothing is announced to other devices, and nothing is hashed again. An ' +
      'interrupted move continues at the next start. Ctrl+C ends only the display. Without PATH it shows the move.',
    arguments: [
      { name: 'folder', completes: 'folders' },
      { name: 'path', optional: true },
    ],
    flags: [
      { name: 'preview', description: 'Only show what would be done' },
      { name: 'cancel', description: 'Undo the move that runs, while the folder is at its old place' },
    ],
    examples: ['folder move photos /mnt/disk/Photos', 'folder move photos --cancel'],
    remote: async ({ context, connection: { client }, args: [folder = '', path], flags }) =>
      (await import('./move-command.ts')).folderMove(context, client, folder, path, {
        preview: flags.isOn('preview'),
        cancel: flags.isOn('cancel'),
        json: flags.isOn('json'),
      }),
  }),
  remoteCommand({
    name: 'share',
    summary: 'share a folder with more devices, by ID or name',
    arguments: [
      { name: 'folder', completes: 'folders' },
      { name: 'device', repeatable: true, completes: 'devices' },
    ],
    flags: [
      { name: 'untrusted', description: 'They must not read it: they get encrypted data only' },
      {
        name: 'password-file',
        value: 'FILE',
        description:
          'With --untrusted: the password is the first line of this file, or of the input with "-" ' +
          '(default: the one that the folder has for another device, or a new one)',
      },
      { name: 'save', value: 'FILE', description: 'With --untrusted: save the password in a new file' },
    ],
    examples: ['folder share photos laptop phone', 'folder share photos nas --untrusted --save photos-password.txt'],
    remote: async ({ context, connection: { client }, args: [folder = '', ...devices], flags }) => {
      const options = withoutUndefined({ passwordFile: flags.text('password-file'), save: flags.text('save') })
      const json = flags.isOn('json')
      if (!flags.isOn('untrusted')) {
        if (Object.keys(options).length > 0) throw new TwinfoldError('usage', 'a password needs --untrusted')
        return (await import('./share-commands.ts')).folderShare(context, client, folder, devices, { json })
      }
      const { folderShareUntrusted } = await import('./share-untrusted.ts')
      return folderShareUntrusted(context, client, folder, devices, { ...options, json })
    },
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
    name: 'mark',
    summary: 'create the marker of a folder again, if its files are there',
    description:
      'Creates the marker of a folder again, which has stopped because it is missing. It is refused where files that ' +
      'the folder had are missing: then its disk is probably not mounted, and they would count as deleted.',
    arguments: [{ name: 'folder', completes: 'folders' }],
    flags: [{ name: 'force', description: 'Also if files are missing, which then count as deleted' }],
    examples: ['folder mark photos'],
    remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
      (await import('./folder-commands.ts')).folderMark(context, client, folder, {
        force: flags.isOn('force'),
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
    flags: [YES_FLAG],
    examples: ['folder revert photos'],
    remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
      (await import('./share-commands.ts')).folderRevert(context, client, folder, {
        json: flags.isOn('json'),
        yes: flags.isOn('yes'),
      }),
  }),
  remoteCommand({
    name: 'override',
    summary: 'make the state of a send-only folder that of all devices',
    description:
      'Makes the local state of a send-only folder the state of all devices: changes made elsewhere are undone ' +
      'there, and items that only others have are deleted there.',
    arguments: [{ name: 'folder', completes: 'folders' }],
    flags: [YES_FLAG],
    examples: ['folder override photos'],
    remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
      (await import('./share-commands.ts')).folderOverride(context, client, folder, {
        json: flags.isOn('json'),
        yes: flags.isOn('yes'),
      }),
  }),
]
