import { withoutUndefined } from './args/parsed-flags.ts'
import { remoteCommand } from './remote-command.ts'

export const APPLY = remoteCommand({
  name: 'apply',
  group: 'sharing',
  summary: 'set this device up from a file: devices, folders, options, keys',
  description:
    'Changes what the file names and nothing else. What it made is marked, and only that is removed with --prune. ' +
    'What was changed here since is reported and left as it is. Applying it again changes nothing.',
  flags: [
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      default: '-',
      description: 'The file, YAML or JSON (default: the input)',
    },
    { name: 'check', description: 'Print what would change, change nothing, and exit with 2 if something would' },
    { name: 'prune', description: 'Remove what earlier files made and this one does not name' },
    { name: 'reset-drift', description: 'Set again what was changed here since the file set it' },
  ],
  examples: ['apply -f twinfold.yaml --check', 'apply -f twinfold.yaml', 'apply -f twinfold.yaml --prune'],
  remote: async ({ context, connection: { client }, flags }) => {
    const { applySetup } = await import('./setup-commands.ts')
    return applySetup(context, client, {
      file: flags.text('file') ?? '-',
      check: flags.isOn('check'),
      prune: flags.isOn('prune'),
      resetDrift: flags.isOn('reset-drift'),
      json: flags.isOn('json'),
    })
  },
})

export const EXPORT = remoteCommand({
  name: 'export',
  group: 'sharing',
  summary: 'write a file for "apply" from the running configuration, without secrets',
  flags: [{ name: 'output', value: 'FILE', description: 'A new file (default: the output)' }],
  examples: ['export', 'export --output twinfold.yaml'],
  remote: async ({ context, connection: { client }, flags }) => {
    const { exportSetup } = await import('./setup-commands.ts')
    return exportSetup(context, client, {
      ...withoutUndefined({ output: flags.text('output') }),
      json: flags.isOn('json'),
    })
  },
})
