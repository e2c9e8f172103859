import { TwinfoldError } from '../core/errors.ts'
import { withoutUndefined } from './args/parsed-flags.ts'
import { checkCount, checkSeconds, FINDING_FLAGS } from './args/shared-flags.ts'
import type { CommandSpec } from './args/types.ts'
import { CAT, FIND, GET } from './content-specs.ts'
import { HISTORY, REWIND } from './history-specs.ts'
import { HOOK } from './hook-specs.ts'
import { INVITE, JOIN } from './invite-specs.ts'
import { SCHEDULE } from './schedule-specs.ts'
import { KEY, USER } from './key-specs.ts'
import { SERIES } from './series-specs.ts'
import { APPLY, EXPORT } from './setup-specs.ts'
import { NETWORK_SWITCHES, SERVER_KINDS } from './network-switches.ts'
import { PLAN } from './plan-specs.ts'
import { remoteCommand } from './remote-command.ts'
import { COMPLETE_NAMES, CONFLICTS, GUARD, KEPT_FILES, VERSIONS } from './versions-specs.ts'
import { TRASH } from './trash-specs.ts'
import { DROP, KEEP, SELECTION } from './selection-specs.ts'
import { DEVICE, FOLDER, PENDING } from './sharing-specs.ts'
import { parseSince } from './since.ts'

const SCAN = remoteCommand({
  name: 'scan',
  group: 'status',
  summary: 'scan all folders, one, or some paths in it, for changes now',
  arguments: [
    { name: 'folder', optional: true, completes: 'folders' },
    { name: 'sub', optional: true, repeatable: true },
  ],
  flags: [{ name: 'next', value: 'SECONDS', check: checkSeconds, description: 'Delay until the next automatic scan' }],
  examples: ['scan', 'scan photos', 'scan photos 2026/summer --next 3600'],
  remote: async ({ context, connection, args: [folder = '', ...subs], flags }) => {
    const { scan, scanAll } = await import('./scan-command.ts')
    const options = { ...withoutUndefined({ next: flags.number('next') }), json: flags.isOn('json') }
    if (folder === '') return scanAll(context, connection.client, options)
    return scan(context, connection.client, folder, subs, options)
  },
})

const PRIO = remoteCommand({
  name: 'prio',
  group: 'status',
  summary: 'download a file before all others',
  arguments: [{ name: 'folder', completes: 'folders' }, { name: 'file' }],
  examples: ['prio photos 2026/summer/beach.jpg'],
  remote: async ({ context, connection: { client }, args: [folder = '', file = ''], flags }) =>
    (await import('./status-commands.ts')).prio(context, client, folder, file, { json: flags.isOn('json') }),
})

const STATUS = remoteCommand({
  name: 'status',
  group: 'status',
  summary: 'show the status of the device and its folders, or of one folder',
  arguments: [{ name: 'folder', optional: true, completes: 'folders' }],
  examples: ['status', 'status photos --json'],
  remote: async ({ context, connection, args: [folder], flags }) =>
    (await import('./status-commands.ts')).status(context, connection, folder, { json: flags.isOn('json') }),
})

const DOCTOR = remoteCommand({
  name: 'doctor',
  group: 'diagnostics',
  summary: 'check folders, disks, devices and settings, and show what is wrong with its remedy',
  description:
    'Checks folders, disks, other devices and settings, and prints what is wrong, the most severe first: what, the ' +
    'evidence, the remedy and a command. It exits with 0 if there is nothing, or notices only, with 1 if there is an ' +
    'error, and with 4 if there are warnings.',
  flags: [{ name: 'without', value: 'NAMES', description: 'Leave out these checks, separated by commas' }],
  examples: ['doctor', 'doctor --without running-as-root,device-away', 'doctor --json'],
  remote: async ({ context, connection: { client }, flags }) =>
    (await import('./doctor-command.ts')).doctor(context, client, {
      json: flags.isOn('json'),
      without: flags.text('without')?.split(',') ?? [],
    }),
})

const WHY = remoteCommand({
  name: 'why',
  group: 'status',
  summary: 'explain why a folder or a file is in sync or not, or a device connected or not',
  description:
    'Explains why a file is in sync or not, from the index, the queue, the last error, the connected devices and the ' +
    'disk. With a folder alone, explains why it is in sync or not; with a device, why it is connected or not.',
  arguments: [
    { name: 'folder', text: 'FOLDER|DEVICE', completes: 'both' },
    { name: 'file', optional: true },
  ],
  examples: ['why photos 2026/summer/beach.jpg', 'why photos', 'why laptop'],
  remote: async ({ context, connection: { client }, args: [name = '', file], flags }) => {
    const { whyFile, whyName } = await import('./why-command.ts')
    const options = { json: flags.isOn('json') }
    return file === undefined ? whyName(context, client, name, options) : whyFile(context, client, name, file, options)
  },
})

/** `debug` has one subcommand that needs no daemon; the program that has it passes it in. */
function debugCommand(commands: readonly CommandSpec[]): CommandSpec {
  return remoteCommand({
    name: 'debug',
    group: 'diagnostics',
    summary: 'show and switch the facilities that log debug lines',
    flags: [
      { name: 'enable', value: 'NAMES', description: 'Facilities to switch on, separated by commas' },
      { name: 'disable', value: 'NAMES', description: 'Facilities to switch off, separated by commas' },
    ],
    examples: ['debug --enable model,scanner', 'debug --disable model'],
    ...(commands.length > 0 && { commands }),
    remote: async ({ context, connection, flags }) => {
      const { debug } = await import('./log-commands.ts')
      const options = withoutUndefined({ enable: flags.list('enable'), disable: flags.list('disable') })
      return debug(context, connection.client, { ...options, json: flags.isOn('json') })
    },
  })
}

const EVENTS = remoteCommand({
  name: 'events',
  group: 'diagnostics',
  summary: 'show the events of the daemon',
  description: 'Shows the events of the daemon. --json prints one object per line.',
  flags: [
    { name: 'since', value: 'ID', check: checkCount, description: 'Only events after this ID' },
    { name: 'types', value: 'NAMES', description: 'Only these types, separated by commas' },
    { name: 'limit', value: 'COUNT', check: checkCount, description: 'At most this many, the latest ones' },
    { name: 'follow', short: 'f', description: 'Continue until interrupted' },
  ],
  examples: ['events --follow', 'events --types StateChanged,FolderErrors --json'],
  remote: async ({ context, connection, flags }) => {
    const { events } = await import('./log-commands.ts')
    const query = { since: flags.number('since'), types: flags.list('types'), limit: flags.number('limit') }
    const options = { ...withoutUndefined(query), follow: flags.isOn('follow'), json: flags.isOn('json') }
    return events(context, connection.client, options)
  },
})

const LOGS = remoteCommand({
  name: 'logs',
  group: 'diagnostics',
  summary: 'show the log of the daemon',
  description: 'Shows the log of the daemon. --json prints one object per line.',
  flags: [
    { name: 'since', value: 'TIME', description: 'Only lines after this time: RFC 3339, 10:00, yesterday, 2h' },
    { name: 'follow', short: 'f', description: 'Continue until interrupted' },
  ],
  examples: ['logs --follow', 'logs --since yesterday'],
  remote: async ({ context, connection, flags }) => {
    const { logs } = await import('./log-commands.ts')
    const since = flags.text('since')
    const options = {
      ...(since !== undefined && { since: parseSince(since, context.timeMs()) }),
      follow: flags.isOn('follow'),
      json: flags.isOn('json'),
    }
    return logs(context, connection.client, options)
  },
})

const SUPPORT = remoteCommand({
  name: 'support',
  group: 'diagnostics',
  summary: 'save settings, log and metrics without secrets, for a support request',
  description:
    'Saves settings, log and metrics without keys and passwords, for a support request. Debugging must be enabled.',
  flags: [
    {
      name: 'output',
      short: 'o',
      value: 'FILE',
      description: 'File to write (default: a dated name in this directory)',
    },
  ],
  examples: ['support', 'support --output bundle.zip'],
  remote: async ({ context, connection, flags }) => {
    const { support } = await import('./log-commands.ts')
    const options = { ...withoutUndefined({ output: flags.text('output') }), json: flags.isOn('json') }
    return support(context, connection.client, options)
  },
})

const NETWORK = remoteCommand({
  name: 'network',
  group: 'sharing',
  summary: 'show and switch discovery, relays, port mapping and upgrade checks',
  description:
    'Shows and switches every function that contacts other hosts. All are off in a new configuration. `on` and `off` ' +
    'without a name switch the four that find devices: local, global, relays and nat.',
  arguments: [
    { name: 'action', optional: true, choices: ['status', 'on', 'off'] },
    { name: 'switch', optional: true, repeatable: true, choices: NETWORK_SWITCHES.map(({ name }) => name) },
  ],
  examples: ['network', 'network on', 'network off relays nat', 'network status --json'],
  sections: [['Switches', NETWORK_SWITCHES.map(({ name, meaning }) => `${name}: ${meaning}`).join('. ')]],
  remote: async ({ context, connection, args: [action = 'status', ...names], flags }) => {
    const { network } = await import('./network-command.ts')
    if (action === 'status' && names.length > 0) throw new TwinfoldError('usage', 'status takes no names of switches')
    const change = action === 'status' ? undefined : { on: action === 'on', names }
    return network(context, connection.client, change, { json: flags.isOn('json') })
  },
  commands: [
    remoteCommand({
      name: 'servers',
      summary: 'show or replace the discovery and relay servers',
      description:
        'Shows the discovery servers, and the relays that this device joins; with addresses, replaces those of one ' +
        'kind. "default" are those of the Syncthing project.',
      arguments: [
        { name: 'kind', optional: true, choices: SERVER_KINDS },
        { name: 'url', optional: true, repeatable: true },
      ],
      examples: [
        'network servers',
        `network servers discovery 'https://disco.example:8443/?id=ID'`,
        `network servers relays 'relay://relay.example:22067/?id=ID'`,
        'network servers discovery default',
      ],
      remote: async ({ context, connection: { client }, args: [name, ...urls], flags }) => {
        const { networkServers } = await import('./network-servers.ts')
        const kind = SERVER_KINDS.find((each) => each === name)
        if (kind !== undefined && urls.length === 0) {
          throw new TwinfoldError('usage', `name the servers, or "default": network servers ${kind} URL`)
        }
        const change = kind === undefined ? undefined : { kind, urls }
        return networkServers(context, client, change, { json: flags.isOn('json') })
      },
    }),
  ],
})

const DRIVE = remoteCommand({
  name: 'drive',
  group: 'sharing',
  summary: 'show and switch the read-only network drive with all folders',
  description:
    'Shows whether folders can be opened as a network drive (WebDAV), and where; `on` and `off` switch it. ' +
    'It is read-only and shows all files, also those that are on other devices only.',
  arguments: [{ name: 'switch', optional: true, choices: ['on', 'off'] }],
  examples: ['drive', 'drive on', 'drive --json'],
  remote: async ({ context, connection, args: [action], flags }) => {
    const on = action === undefined ? undefined : action === 'on'
    return (await import('./drive-command.ts')).drive(context, connection, on, { json: flags.isOn('json') })
  },
})

/** Syncthing's own command line; its arguments are parsed by the tree, which depends on the daemon's configuration. */
const CLI: CommandSpec = {
  name: 'cli',
  group: 'diagnostics',
  summary: "run Syncthing's own command line, for scripts: every setting, show, operations",
  description: "Runs Syncthing's own command line, with its arguments, output and exit codes.",
  arguments: [{ name: 'command', optional: true, repeatable: true }],
  flags: FINDING_FLAGS,
  passThrough: true,
  examples: ['cli show system', 'cli config folders photos paused set true', 'cli config devices list'],
}

/** The commands that connect to a running daemon, in the order of `--help`. */
export function remoteCommands(debugCommands: readonly CommandSpec[] = []): readonly CommandSpec[] {
  return [
    FOLDER,
    DEVICE,
    PENDING,
    INVITE,
    JOIN,
    NETWORK,
    DRIVE,
    KEY,
    USER,
    APPLY,
    EXPORT,
    HOOK,
    SCHEDULE,
    STATUS,
    WHY,
    SCAN,
    PRIO,
    FIND,
    CAT,
    GET,
    KEEP,
    DROP,
    SELECTION,
    VERSIONS,
    CONFLICTS,
    PLAN,
    KEPT_FILES,
    HISTORY,
    GUARD,
    SERIES,
    TRASH,
    REWIND,
    DOCTOR,
    debugCommand(debugCommands),
    EVENTS,
    LOGS,
    SUPPORT,
    CLI,
    COMPLETE_NAMES,
  ]
}
