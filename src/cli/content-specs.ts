import { TwinfoldError } from '../core/errors.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
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
