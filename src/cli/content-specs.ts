import { TwinfoldError } from '../core/errors.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { checkCount } from './args/shared-flags.ts'
import { remoteCommand } from './remote-command.ts'

const RANGE = 'A-B'

export const CAT = remoteCommand({
  name: 'cat',
  group: 'status',
  summary: 'print a file, also one that is not on this device',
  description:
    'Prints the newest version of a file: from this disk, or from connected devices without keeping it here. Every ' +
    'block is verified. If no device can give the rest, it fails.',
  arguments: [{ name: 'folder', completes: 'folders' }, { name: 'file' }],
  flags: [
    { name: 'range', value: RANGE, description: 'Only these bytes, from 0, both included; "A-" is up to the end' },
  ],
  examples: ['cat photos notes.txt', 'cat photos film.mp4 --range 0-1023 | file -'],
  remote: async ({ context, connection: { client }, args: [folder = '', file = ''], flags }) => {
    const { cat, parseByteRange } = await import('./content-commands.ts')
    const given = flags.text('range')
    const range = given === undefined ? undefined : parseByteRange(given)
    if (given !== undefined && range === undefined) {
      throw new TwinfoldError(
        'usage',
        `flag --range: '${given}' is invalid; it must be ${RANGE}, such as 0-1023 or 1024-`,
      )
    }
    return cat(context, client, folder, file, range)
  },
})

export const GET = remoteCommand({
  name: 'get',
  group: 'status',
  summary: 'save a file or a directory, also one that is not on this device, elsewhere',
  description:
    'Saves the newest version of a file, or of all files of a directory, outside of the folder. Nothing is kept in ' +
    'the folder. Existing files are not replaced, unless --force is given.',
  arguments: [
    { name: 'folder', completes: 'folders' },
    { name: 'file', text: 'FILE|DIRECTORY' },
  ],
  flags: [
    {
      name: 'to',
      value: 'PATH',
      description: 'A new name, or an existing directory (default: this directory)',
    },
    { name: 'force', description: 'Replace existing files' },
  ],
  examples: ['get photos 2026/beach.jpg', 'get photos 2026 --to /tmp/summer', 'get photos . --to backup --force'],
  remote: async ({ context, connection: { client }, args: [folder = '', file = ''], flags }) => {
    const { get } = await import('./content-commands.ts')
    const options = {
      ...withoutUndefined({ to: flags.text('to') }),
      force: flags.isOn('force'),
      json: flags.isOn('json'),
    }
    return get(context, client, folder, file, options)
  },
})

export const FIND = remoteCommand({
  name: 'find',
  group: 'status',
  summary: 'find files by a part of their names, in one folder or in all',
  description:
    'Prints the files and directories whose names contain the text, in any case, also those that are not on this ' +
    'device, as they are found. A text with a slash is compared with whole paths. Without a folder: in all folders.',
  arguments: [{ name: 'text' }, { name: 'folder', optional: true, completes: 'folders' }],
  flags: [{ name: 'limit', value: 'COUNT', check: checkCount, description: 'At most this many (200)' }],
  examples: ['find beach', 'find summer/beach photos --json'],
  remote: async ({ context, connection: { client }, args, flags }) => {
    const options = withoutUndefined({ limit: flags.number('limit') })
    return (await import('./find-command.ts')).findFiles(context, client, args, {
      ...options,
      json: flags.isOn('json'),
    })
  },
})
