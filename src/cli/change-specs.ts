import type { FolderTypeName } from '../core/config/config.ts'
import { PRIORITY_MAX } from '../core/config/extensions.ts'
import { MERGE_MODES, mergeProgramsProblem, type MergePrograms } from '../core/config/merge-settings.ts'
import { withoutUndefined, type ParsedFlags } from './args/parsed-flags.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import { checkSeconds } from './args/shared-flags.ts'
import type { CommandSpec } from './args/types.ts'
import type { RateLimits } from './change-commands.ts'
import { remoteCommand } from './remote-command.ts'
import { VERSIONING_TYPES } from './versioning.ts'

export const FOLDER_TYPES = [
  'sendreceive',
  'sendonly',
  'receiveonly',
  'receiveencrypted',
] as const satisfies readonly FolderTypeName[]

/** Of `device add` and `device set`. */
export const SHARING_FLAGS: readonly FlagSpec[] = [
  { name: 'introducer', onOff: true, description: 'Add the devices with which it shares our folders' },
  { name: 'auto-accept', onOff: true, description: 'Accept every folder it offers' },
]

const COMPRESSIONS = ['metadata', 'always', 'never'] as const

/** Whether the switch is given, and how. */
export function givenSwitch(flags: ParsedFlags, name: string): boolean | undefined {
  return flags.text(name) === undefined ? undefined : flags.isOn(name)
}

const LIMITS = /^(?:off|\d{1,9}(?:,\d{1,9})?)$/

function checkLimits(text: string): string | undefined {
  return LIMITS.test(text) ? undefined : 'use SEND,RECEIVE in KiB/s, one number for both, or off'
}

function limitsOf(text: string | undefined): RateLimits | undefined {
  if (text === undefined) return undefined
  const [send = 0, receive = send] = text === 'off' ? [] : text.split(',').map(Number)
  return { sendKbps: send, receiveKbps: receive }
}

/** The values of a repeatable flag; an empty text is none of them. */
function givenList(flags: ParsedFlags, name: string): readonly string[] | undefined {
  return flags.texts(name)?.filter((text) => text !== '')
}

const PROGRAM = /^(.*?[^=])=(\[.*\])$/s

function checkProgram(text: string): string | undefined {
  const usage = `use PATTERN=LIST, as '*.json=["merge-json","{base}","{left}","{right}","{output}"]'`
  const [, pattern, list] = PROGRAM.exec(text) ?? []
  if (text === '') return undefined
  if (pattern === undefined || list === undefined) return usage
  const problem = mergeProgramsProblem({ [pattern]: parsedList(list) })
  return problem === undefined ? undefined : `it ${problem}; ${usage}`
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not a list: reported as such
  }
}

/** Each text was accepted by `checkProgram`. */
function programsOf(texts: readonly string[] | undefined): MergePrograms | undefined {
  const programs = texts?.map((text) => {
    const [, pattern = '', list = ''] = PROGRAM.exec(text) ?? []
    return [pattern, parsedList(list) as readonly string[]] as const
  })
  return programs && Object.fromEntries(programs)
}

/** Subcommands of `device` that change one that exists. */
export const DEVICE_CHANGES: readonly CommandSpec[] = [
  remoteCommand({
    name: 'rename',
    summary: 'give a device another name, here only; this device itself, too',
    description:
      'Gives a device another name, on this device only. The name of this device itself is what others see when ' +
      'they add it.',
    arguments: [{ name: 'device', completes: 'devices' }, { name: 'name' }],
    examples: ['device rename laptop "Anna\'s laptop"'],
    remote: async ({ context, connection: { client }, args: [device = '', name = ''], flags }) =>
      (await import('./change-commands.ts')).deviceRename(context, client, device, name, { json: flags.isOn('json') }),
  }),
  remoteCommand({
    name: 'set',
    summary: 'change settings of a device',
    description:
      'Changes settings of a device, by ID or name. --limits of this device itself apply to all connections together.',
    arguments: [{ name: 'device', completes: 'devices' }],
    flags: [
      ...SHARING_FLAGS,
      { name: 'compression', value: 'WHAT', choices: COMPRESSIONS, description: 'What is compressed on the way to it' },
      {
        name: 'limits',
        value: 'SEND,RECEIVE',
        check: checkLimits,
        description: 'Most KiB/s to and from it; one number for both, 0 or off for no limit',
      },
    ],
    examples: ['device set laptop --introducer on', 'device set phone --compression always --limits 500,2000'],
    remote: async ({ context, connection: { client }, args: [device = ''], flags }) => {
      const { deviceSet } = await import('./change-commands.ts')
      return deviceSet(context, client, device, {
        ...withoutUndefined({
          introducer: givenSwitch(flags, 'introducer'),
          autoAccept: givenSwitch(flags, 'auto-accept'),
          compression: COMPRESSIONS.find((each) => each === flags.text('compression')),
          limits: limitsOf(flags.text('limits')),
        }),
        json: flags.isOn('json'),
      })
    },
  }),
]

function checkPriority(text: string): string | undefined {
  const isValid = /^-?\d{1,3}$/.test(text) && Math.abs(Number(text)) <= PRIORITY_MAX
  return isValid ? undefined : `use a whole number from -${PRIORITY_MAX} to ${PRIORITY_MAX}`
}

/** Also negative ones. */
function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

export const FOLDER_SET = remoteCommand({
  name: 'set',
  summary: 'change settings of a folder: its label, path, type, old versions',
  description:
    'Changes settings of a folder, by ID or label. --path is for a directory that was moved already: the files, with ' +
    'the marker .stfolder, have to be there. "folder move" moves them, too.',
  arguments: [{ name: 'folder', completes: 'folders' }],
  flags: [
    { name: 'label', value: 'TEXT', description: 'Display name, on this device' },
    { name: 'path', value: 'DIR', description: 'The directory to which its files were moved' },
    { name: 'type', value: 'TYPE', choices: FOLDER_TYPES, description: 'Direction of changes' },
    {
      name: 'versioning',
      value: 'TYPE',
      choices: [...VERSIONING_TYPES, 'off'],
      description: 'How old versions are kept; "versions on" has more settings',
    },
    { name: 'rescan-interval', value: 'SECONDS', check: checkSeconds, description: 'Time between full scans' },
    { name: 'watch', onOff: true, description: 'Watch for changes between full scans' },
    { name: 'guard', onOff: true, description: 'Hold an unusual loss of files; "guard" shows it' },
    { name: 'collect', onOff: true, description: 'Keep files here that other devices delete; "kept" lists them' },
    {
      name: 'safety',
      onOff: true,
      description: 'Keep deleted and replaced files for 30 days, and hold mass deletions',
    },
    {
      name: 'archive-local',
      onOff: true,
      description: 'Archive own deletions and edits, too; only where the file system clones files (btrfs, XFS, APFS)',
    },
    {
      name: 'priority',
      value: 'NUMBER',
      check: checkPriority,
      description: 'Folders with a higher number download first; the others still progress (default: 0)',
    },
    { name: 'pause-on-battery', onOff: true, description: 'Pause it while the machine runs on its battery' },
    {
      name: 'merge',
      value: 'WHAT',
      choices: MERGE_MODES,
      description: 'Conflicting edits of texts: merged where they do not overlap, or a merged text is offered',
    },
    {
      name: 'merge-union',
      value: 'PATTERN',
      repeatable: true,
      description: 'Names in which lines that both sides added are all kept; repeatable, "" for none',
    },
    {
      name: 'merge-program',
      value: 'PATTERN=LIST',
      repeatable: true,
      check: checkProgram,
      description:
        'Program that merges such names: a JSON list with {base}, {left}, {right}, {output}; repeatable, "" for none',
    },
    {
      name: 'shared-ignores',
      onOff: true,
      description: 'Use the patterns of .stglobalignore in the folder; prints what changes, and asks for --yes',
    },
    { name: 'yes', description: 'Change the type, or switch the shared patterns, without the question' },
    { name: 'force', description: 'Use the path even if the marker is not there, or a check finds a problem' },
  ],
  examples: [
    'folder set photos --label Pictures --versioning trashcan',
    'folder set photos --path /srv/Photos',
    'folder set photos --type receiveonly',
    'folder set photos --collect on',
    'folder set photos --safety on',
    'folder set photos --guard on',
    'folder set photos --priority 10',
    'folder set photos --pause-on-battery on',
    'folder set notes --merge on --merge-union "*.log"',
    'folder set photos --shared-ignores on --yes',
  ],
  remote: async ({ context, connection: { client }, args: [folder = ''], flags }) => {
    const { folderSet } = await import('./change-commands.ts')
    return folderSet(context, client, folder, {
      ...withoutUndefined({
        label: flags.text('label'),
        path: flags.text('path'),
        type: FOLDER_TYPES.find((each) => each === flags.text('type')),
        versioning: [...VERSIONING_TYPES, 'off' as const].find((each) => each === flags.text('versioning')),
        rescanInterval: flags.number('rescan-interval'),
        watch: givenSwitch(flags, 'watch'),
        collect: givenSwitch(flags, 'collect'),
        safety: givenSwitch(flags, 'safety'),
        guard: givenSwitch(flags, 'guard'),
        archiveLocal: givenSwitch(flags, 'archive-local'),
        sharedIgnores: givenSwitch(flags, 'shared-ignores'),
        priority: numberIn(flags.text('priority')),
        pauseOnBattery: givenSwitch(flags, 'pause-on-battery'),
        merge: MERGE_MODES.find((each) => each === flags.text('merge')),
        mergeUnion: givenList(flags, 'merge-union'),
        mergePrograms: programsOf(givenList(flags, 'merge-program')),
      }),
      yes: flags.isOn('yes'),
      force: flags.isOn('force'),
      json: flags.isOn('json'),
    })
  },
})
