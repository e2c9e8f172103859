import { defined } from './args/parsed-flags.ts'
import { FINDING_FLAGS } from './args/shared-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { NAME_KINDS } from './args/flag-spec.ts'
import { remoteCommand } from './remote-command.ts'

export const VERSIONS: CommandSpec = {
  name: 'versions',
  group: 'status',
  summary: 'list and restore old versions of files',
  flags: FINDING_FLAGS,
  examples: ['versions list photos', 'versions restore photos beach.jpg'],
  commands: [
    remoteCommand({
      name: 'list',
      summary: 'list the old versions in a folder, or of one file',
      arguments: [
        { name: 'folder', completes: 'folders' },
        { name: 'file', optional: true },
      ],
      examples: ['versions list photos', 'versions list photos beach.jpg --json'],
      remote: async ({ context, connection: { client }, args: [folder = '', file], flags }) =>
        (await import('./versions-commands.ts')).versionsList(context, client, folder, file, {
          json: flags.isOn('json'),
        }),
    }),
    remoteCommand({
      name: 'restore',
      summary: 'restore an old version of a file; the current one is kept as a version',
      arguments: [{ name: 'folder', completes: 'folders' }, { name: 'file' }],
      flags: [{ name: 'time', value: 'TIME', description: 'The version, as listed (default: the newest)' }],
      examples: ['versions restore photos beach.jpg', 'versions restore photos beach.jpg --time 2026-11-15'],
      remote: async ({ context, connection: { client }, args: [folder = '', file = ''], flags }) => {
        const { versionsRestore } = await import('./versions-commands.ts')
        const options = { ...defined({ time: flags.text('time') }), json: flags.isOn('json') }
        return versionsRestore(context, client, folder, file, options)
      },
    }),
  ],
}

export const CONFLICTS = remoteCommand({
  name: 'conflicts',
  group: 'status',
  summary: 'list or resolve conflict copies, of one folder or of all',
  description:
    'Lists conflict copies. With --keep the named ones, or all of the folder, are resolved: the file or its copy is ' +
    'kept under the name of the file, the other becomes an old version.',
  arguments: [
    { name: 'folder', optional: true, completes: 'folders' },
    { name: 'copy', optional: true, repeatable: true },
  ],
  flags: [
    { name: 'keep', value: 'WHICH', choices: ['original', 'copy'], description: 'Resolve them, and keep this one' },
    { name: 'discard', description: 'Resolve them also where the folder keeps no old versions' },
  ],
  examples: ['conflicts', 'conflicts photos --json', 'conflicts photos --keep original'],
  remote: async ({ context, connection: { client }, args: [folder, ...copies], flags }) => {
    const { keptOf, listConflicts, resolveConflicts } = await import('./conflict-commands.ts')
    const [json, discard] = [flags.isOn('json'), flags.isOn('discard')]
    const keep = keptOf(flags.text('keep'), folder, copies, discard)
    return keep === undefined || folder === undefined
      ? listConflicts(context, client, folder, { json })
      : resolveConflicts(context, client, folder, copies, { keep, discard, json })
  },
})

/** Used by the completion scripts. */
export const COMPLETE_NAMES = remoteCommand({
  name: 'complete-names',
  group: 'diagnostics',
  hidden: true,
  summary: 'print the names that a shell may complete',
  arguments: [{ name: 'kind', choices: NAME_KINDS }],
  examples: ['complete-names folders'],
  remote: async ({ context, connection: { client }, args: [kind = ''] }) =>
    (await import('./complete-names.ts')).completeNames(context, client, kind),
})
