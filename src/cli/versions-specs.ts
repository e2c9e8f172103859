import { TwinfoldError } from '../core/errors.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { checkCount, FINDING_FLAGS } from './args/shared-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { NAME_KINDS } from './args/flag-spec.ts'
import { remoteCommand } from './remote-command.ts'
import { VERSIONING_MEANINGS, VERSIONING_TYPES } from './versioning.ts'

const DAYS_MAX = 36_500

function checkDays(text: string): string | undefined {
  return checkCount(text) ?? (Number(text) > DAYS_MAX ? 'it must not be longer than a hundred years' : undefined)
}

/** `conflicts` has a flag of the same name, with other values. */
function keptCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const wrong = checkCount(text)
  if (wrong !== undefined) throw new TwinfoldError('usage', `flag --keep: '${text}' is invalid; ${wrong}`)
  return Number(text)
}

export const VERSIONS: CommandSpec = {
  name: 'versions',
  group: 'status',
  summary: 'keep, list and restore old versions of files',
  flags: FINDING_FLAGS,
  examples: ['versions list photos', 'versions restore photos beach.jpg'],
  commands: [
    remoteCommand({
      name: 'on',
      summary: 'keep old versions of files that other devices replace or delete',
      description:
        'Keeps old versions of files that other devices replace or delete. Your own edits are not kept. Settings ' +
        'that are not given stay as they are.',
      arguments: [{ name: 'folder', completes: 'folders' }],
      flags: [
        { name: 'type', value: 'TYPE', choices: VERSIONING_TYPES, description: 'Which versions (default: simple)' },
        { name: 'keep', value: 'COUNT', description: 'With the type simple: how many versions of each file' },
        { name: 'days', value: 'DAYS', check: checkDays, description: 'How long they are kept; 0 is without a limit' },
      ],
      sections: [['Types', VERSIONING_TYPES.map((type) => `${type}: ${VERSIONING_MEANINGS[type]}`).join('. ')]],
      examples: ['versions on photos', 'versions on photos --type staggered --days 90'],
      remote: async ({ context, connection: { client }, args: [folder = ''], flags }) => {
        const { versionsOn } = await import('./versions-commands.ts')
        const type = VERSIONING_TYPES.find((each) => each === flags.text('type'))
        const limits = withoutUndefined({ keep: keptCount(flags.text('keep')), days: flags.number('days') })
        return versionsOn(context, client, folder, {
          ...withoutUndefined({ type }),
          ...limits,
          json: flags.isOn('json'),
        })
      },
    }),
    remoteCommand({
      name: 'off',
      summary: 'keep no more old versions; those that exist stay in .stversions',
      arguments: [{ name: 'folder', completes: 'folders' }],
      examples: ['versions off photos'],
      remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
        (await import('./versions-commands.ts')).versionsOff(context, client, folder, { json: flags.isOn('json') }),
    }),
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
        const options = { ...withoutUndefined({ time: flags.text('time') }), json: flags.isOn('json') }
        return versionsRestore(context, client, folder, file, options)
      },
    }),
  ],
}

export const CONFLICTS = remoteCommand({
  name: 'conflicts',
  group: 'status',
  summary: 'list, compare or resolve conflicts, of one folder or of all',
  description:
    'Lists conflict copies. With --keep the named ones, or all of the folder, are resolved: the file or its copy is ' +
    'kept under the name of the file, the other becomes an old version. newest, oldest, larger and smaller decide ' +
    'for each file, --from keeps the versions of one device. both gives the copy an ordinary name with its device ' +
    'and day.',
  arguments: [
    { name: 'folder', optional: true, completes: 'folders' },
    { name: 'copy', optional: true, repeatable: true },
  ],
  flags: [
    {
      name: 'keep',
      value: 'WHICH',
      choices: ['original', 'copy', 'both', 'newest', 'oldest', 'larger', 'smaller'],
      description: 'Resolve them, and keep this one',
    },
    { name: 'from', value: 'DEVICE', description: 'Resolve them, and keep the versions of this device' },
    { name: 'matching', value: 'PATTERN', description: 'Only files with a name like "*.md", or a path like "notes/*"' },
    { name: 'all', description: 'Resolve them in all folders' },
    { name: 'preview', description: 'Only count what would be resolved, and how' },
    { name: 'diff', description: 'Show what differs between the two versions of one copy' },
    { name: 'merged', value: 'FILE', description: 'Resolve one copy: the text of this file becomes the file' },
    {
      name: 'discard',
      description: 'Resolve them also where the folder keeps no old versions: the other one is deleted',
    },
  ],
  examples: [
    'conflicts',
    'conflicts photos --json',
    'conflicts photos --keep original',
    'conflicts photos --keep copy --discard',
    'conflicts --all --keep newest --matching "*.md" --preview',
  ],
  remote: async ({ context, connection: { client }, args: [folder, ...copies], flags }) => {
    const commands = await import('./conflict-commands.ts')
    const [json, discard, preview] = [flags.isOn('json'), flags.isOn('discard'), flags.isOn('preview')]
    const [keep, from, merged] = [flags.text('keep'), flags.text('from'), flags.text('merged')]
    const [all, diff, matching] = [flags.isOn('all'), flags.isOn('diff'), flags.text('matching') ?? '']
    const given = { keep, from, merged, matching, all, diff, discard, preview }
    const request = commands.conflictRequest(folder, copies, given)
    switch (request.kind) {
      case 'list':
        return commands.listConflicts(context, client, folder, { json, matching })
      case 'diff':
        return commands.showConflict(context, client, request.folder, request.copy, { json })
      case 'merge':
        return commands.mergeConflict(context, client, request.folder, request.copy, { ...request, discard, json })
      case 'keep':
        return commands.resolveConflicts(context, client, request.folder, copies, { ...request, discard, json })
      case 'rule':
        return commands.resolveByRule(context, client, folder, { ...request, from, matching, preview, discard, json })
    }
  },
})

export const GUARD = remoteCommand({
  name: 'guard',
  group: 'status',
  summary: 'show the loss of files that the deletion guard holds; apply or refuse it',
  description:
    'Lists what is held in folders with "folder set FOLDER --guard on". "apply" deletes the files here, too, or ' +
    'announces that they are gone here. "refuse" brings them back: on the other devices, or here from a connected ' +
    'device that has them. "dismiss" removes what was noticed and not held.',
  arguments: [
    { name: 'action', optional: true, choices: ['apply', 'refuse', 'dismiss', 'show'] },
    { name: 'folder', optional: true, completes: 'folders' },
  ],
  flags: [{ name: 'yes', description: 'Apply it without asking' }],
  examples: ['guard', 'guard show photos --json', 'guard refuse photos', 'guard apply photos --yes'],
  remote: async ({ context, connection: { client }, args: [action, folder], flags }) => {
    const { decideGuard, GUARD_ACTIONS, listGuards } = await import('./guard-commands.ts')
    const json = flags.isOn('json')
    const decision = GUARD_ACTIONS.find((each) => each === action)
    if (decision === undefined) return listGuards(context, client, folder, { json })
    if (folder === undefined) throw new TwinfoldError('usage', `name the folder: "guard ${decision} FOLDER"`)
    return decideGuard(context, client, decision, folder, { yes: flags.isOn('yes'), json })
  },
})

export const KEPT_FILES = remoteCommand({
  name: 'kept',
  group: 'status',
  summary: 'list files that other devices have deleted and that stay here, bring them back or delete them',
  description:
    'Lists the files of a folder with "folder set FOLDER --collect on" that other devices have deleted and that stay ' +
    'here. --bring-back announces them again: all devices get them. --delete deletes them here, too; they become old ' +
    'versions where the folder has some.',
  arguments: [
    { name: 'folder', completes: 'folders' },
    { name: 'path', optional: true, repeatable: true },
  ],
  flags: [
    { name: 'bring-back', description: 'Bring the named files back on all devices' },
    { name: 'delete', description: 'Delete the named files here, too' },
    { name: 'all', description: 'All kept files, with one of these' },
    { name: 'yes', description: 'Delete them without asking' },
  ],
  examples: ['kept photos', 'kept photos beach.jpg --bring-back', 'kept photos --all --delete --yes'],
  remote: async ({ context, connection: { client }, args: [folder = '', ...paths], flags }) => {
    const { changeKept, listKept } = await import('./kept-commands.ts')
    const [json, all, isBack, isDelete] = [
      flags.isOn('json'),
      flags.isOn('all'),
      flags.isOn('bring-back'),
      flags.isOn('delete'),
    ]
    if (isBack === isDelete) {
      if (isBack || all || paths.length > 0)
        throw new TwinfoldError('usage', 'use one of --bring-back and --delete; without them all kept files are listed')
      return listKept(context, client, folder, { json })
    }
    const action = isDelete ? 'delete' : 'bring-back'
    return changeKept(context, client, folder, paths, { action, all, yes: flags.isOn('yes'), json })
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
