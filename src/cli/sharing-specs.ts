import { parseDuration } from '../core/duration.ts'
import { withoutUndefined, type ParsedFlags } from './args/parsed-flags.ts'
import { checkSeconds, FINDING_FLAGS } from './args/shared-flags.ts'
import type { FlagSpec } from './args/flag-spec.ts'
import type { CommandSpec } from './args/types.ts'
import { DEVICE_CHANGES, FOLDER_SET, FOLDER_TYPES, givenSwitch, SHARING_FLAGS } from './change-specs.ts'
import { FOLDER_ACTIONS } from './folder-specs.ts'
import { YES_FLAG } from './plan-specs.ts'
import { remoteCommand } from './remote-command.ts'

/** A device ID of the right form, for examples. */
const EXAMPLE_ID = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'

const NOTHING_YET: FlagSpec = {
  name: 'nothing-yet',
  description: 'Fetch no file until it is kept with "keep"',
}

const FOLDER_ADD_FLAGS: readonly FlagSpec[] = [
  {
    name: 'id',
    value: 'ID',
    description: 'ID of the folder, the same on all devices (default: from the name of the directory)',
  },
  { name: 'label', value: 'TEXT', description: 'Display name (default: the name of the directory)' },
  { name: 'type', value: 'TYPE', choices: FOLDER_TYPES, description: 'Direction of changes' },
  {
    name: 'device',
    value: 'ID',
    repeatable: true,
    completes: 'devices',
    description: 'Share it with this device, by ID or name; may be repeated',
  },
  { name: 'rescan-interval', value: 'SECONDS', check: checkSeconds, description: 'Time between full scans' },
  { name: 'no-watch', description: 'Do not watch for changes, only scan' },
  { name: 'paused', description: 'Add it in the paused state' },
  NOTHING_YET,
  {
    name: 'safety',
    onOff: true,
    description: 'Keep deleted and replaced files for 30 days, and hold mass deletions (default: on)',
  },
  { name: 'force', description: 'Add it even if the check of the directory finds a problem' },
]

const FOLDER_ADD = remoteCommand({
  name: 'add',
  summary: 'keep a directory in sync; it is created if it does not exist',
  description:
    'Keeps a directory in sync. It is created if it does not exist. Refused are files, directories that cannot be ' +
    'read or written, missing parents, and directories that contain the home of the device.',
  arguments: [{ name: 'path' }],
  flags: FOLDER_ADD_FLAGS,
  examples: ['folder add ~/Photos --label Photos', 'folder add /srv/docs --id docs --type sendonly'],
  remote: async ({ context, connection, args: [path = ''], flags }) => {
    const { folderAdd } = await import('./folder-commands.ts')
    const type = FOLDER_TYPES.find((each) => each === flags.text('type'))
    const options = {
      id: flags.text('id'),
      label: flags.text('label'),
      type,
      device: flags.texts('device'),
      rescanInterval: flags.number('rescan-interval'),
    }
    return folderAdd(context, connection.client, path, {
      ...withoutUndefined(options),
      ...(flags.isOn('paused') && { paused: true }),
      nothingYet: flags.isOn('nothing-yet'),
      unsafe: givenSwitch(flags, 'safety') === false,
      force: flags.isOn('force'),
      watch: !flags.isOn('no-watch'),
      json: flags.isOn('json'),
    })
  },
})

const PAUSE_UNITS = 'smhd'
const PAUSE_MS_MAX = 30 * 86_400_000

const FOR_FLAG: FlagSpec = {
  name: 'for',
  value: 'TIME',
  check: (text) => {
    const durationMs = parseDuration(text, PAUSE_UNITS) ?? 0
    return durationMs > 0 && durationMs <= PAUSE_MS_MAX ? undefined : 'use 30s, 10m, 2h or 3d, at most 30d'
  },
  description: 'Resume it by itself after this time: 10m, 2h, 3d',
}

function pauseTime(flags: ParsedFlags): { readonly seconds?: number } {
  const durationMs = parseDuration(flags.text('for') ?? '', PAUSE_UNITS)
  return durationMs === undefined ? {} : { seconds: durationMs / 1_000 }
}

export const FOLDER: CommandSpec = {
  name: 'folder',
  group: 'sharing',
  summary: 'add, change, share, list, pause, revert and remove folders',
  flags: FINDING_FLAGS,
  examples: ['folder add ~/Photos --label Photos'],
  commands: [
    FOLDER_ADD,
    remoteCommand({
      name: 'list',
      summary: 'list all folders with their state',
      examples: ['folder list', 'folder list --json'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./folder-commands.ts')).folderList(context, client, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'remove',
      summary: 'stop syncing a folder; its files are kept',
      arguments: [{ name: 'folder', completes: 'folders' }],
      flags: [YES_FLAG],
      examples: ['folder remove docs'],
      remote: async ({ context, connection: { client }, args: [folder = ''], flags }) =>
        (await import('./folder-commands.ts')).folderRemove(context, client, folder, {
          json: flags.isOn('json'),
          yes: flags.isOn('yes'),
        }),
    }),
    FOLDER_SET,
    ...FOLDER_ACTIONS,
    ...[true, false].map((paused) =>
      remoteCommand({
        name: paused ? 'pause' : 'resume',
        summary: paused ? 'pause a folder, by ID or label' : 'resume a paused folder, by ID or label',
        arguments: [{ name: 'folder', completes: 'folders' }],
        ...(paused && { flags: [FOR_FLAG] }),
        examples: paused ? ['folder pause photos', 'folder pause photos --for 2h'] : ['folder resume photos'],
        remote: async ({ context, connection: { client }, args: [folder = ''], flags }) => {
          const { folderPause } = await import('./folder-commands.ts')
          return folderPause(context, client, folder, { json: flags.isOn('json'), paused, ...pauseTime(flags) })
        },
      }),
    ),
  ],
}

const DEVICE_ADD = remoteCommand({
  name: 'add',
  summary: 'allow a device to connect, and share folders with it',
  arguments: [{ name: 'id', completes: 'nearby' }],
  flags: [
    { name: 'name', value: 'TEXT', description: 'Display name' },
    {
      name: 'address',
      value: 'URL',
      repeatable: true,
      description: 'Static address instead of discovery; may be repeated',
    },
    {
      name: 'folder',
      value: 'FOLDER',
      repeatable: true,
      completes: 'folders',
      description: 'Share this folder with it; may be repeated',
    },
    ...SHARING_FLAGS,
    { name: 'paused', description: 'Add it without connecting' },
    { name: 'local', description: 'Switch local discovery on, to find it in the local network' },
  ],
  examples: [
    `device add ${EXAMPLE_ID} --name laptop --folder photos --local`,
    `device add ${EXAMPLE_ID} --address tcp://192.168.1.20:22000`,
  ],
  remote: async ({ context, connection, args: [id = ''], flags }) => {
    const { deviceAdd } = await import('./device-commands.ts')
    const options = { name: flags.text('name'), address: flags.texts('address'), folder: flags.texts('folder') }
    return deviceAdd(context, connection.client, id, {
      ...withoutUndefined({
        ...options,
        introducer: givenSwitch(flags, 'introducer'),
        autoAccept: givenSwitch(flags, 'auto-accept'),
      }),
      ...(flags.isOn('paused') && { paused: true }),
      local: flags.isOn('local'),
      json: flags.isOn('json'),
    })
  },
})

export const DEVICE: CommandSpec = {
  name: 'device',
  group: 'sharing',
  summary: 'add, change, list, pause and remove devices',
  description: 'Manages the devices with which this one shares folders.',
  flags: FINDING_FLAGS,
  examples: [`device add ${EXAMPLE_ID} --name laptop`],
  commands: [
    DEVICE_ADD,
    remoteCommand({
      name: 'list',
      summary: 'list all devices and whether they are connected',
      examples: ['device list', 'device list --json'],
      remote: async ({ context, connection: { client }, flags }) =>
        (await import('./device-commands.ts')).deviceList(context, client, { json: flags.isOn('json') }),
    }),
    remoteCommand({
      name: 'nearby',
      summary: 'list devices of the local network that are not configured here',
      description:
        'Lists the devices that local discovery has found and that are not configured here. Their IDs are not ' +
        'verified before a connection: compare them with the ID on the other device.',
      flags: [{ name: 'ids', description: 'Print only the IDs, one per line' }],
      examples: ['device nearby', 'device nearby --ids'],
      remote: async ({ context, connection: { client }, flags }) => {
        const { deviceNearby } = await import('./device-commands.ts')
        return deviceNearby(context, client, { json: flags.isOn('json'), ids: flags.isOn('ids') })
      },
    }),
    remoteCommand({
      name: 'address',
      summary: 'replace the addresses at which a device is dialled',
      description: 'Replaces the addresses at which a device is dialled. "dynamic" finds them by discovery.',
      arguments: [
        { name: 'device', completes: 'devices' },
        { name: 'url', repeatable: true },
      ],
      examples: ['device address laptop tcp://192.168.1.20:22000 dynamic'],
      remote: async ({ context, connection: { client }, args: [device = '', ...urls], flags }) =>
        (await import('./device-commands.ts')).deviceAddress(context, client, device, urls, {
          json: flags.isOn('json'),
        }),
    }),
    ...DEVICE_CHANGES,
    remoteCommand({
      name: 'remove',
      summary: 'remove a device, by ID or name; files are kept on both sides',
      arguments: [{ name: 'device', completes: 'devices' }],
      flags: [YES_FLAG],
      examples: ['device remove laptop'],
      remote: async ({ context, connection: { client }, args: [device = ''], flags }) =>
        (await import('./device-commands.ts')).deviceRemove(context, client, device, {
          json: flags.isOn('json'),
          yes: flags.isOn('yes'),
        }),
    }),
    ...[true, false].map((paused) =>
      remoteCommand({
        name: paused ? 'pause' : 'resume',
        summary: paused ? 'disconnect a device, by ID or name' : 'connect to a paused device again, by ID or name',
        arguments: [{ name: 'device', completes: 'devices' }],
        ...(paused && { flags: [FOR_FLAG] }),
        examples: paused ? ['device pause laptop', 'device pause laptop --for 30m'] : ['device resume laptop'],
        remote: async ({ context, connection: { client }, args: [device = ''], flags }) => {
          const { devicePause } = await import('./device-commands.ts')
          return devicePause(context, client, device, { json: flags.isOn('json'), paused, ...pauseTime(flags) })
        },
      }),
    ),
  ],
}

export const PENDING = remoteCommand({
  name: 'pending',
  group: 'sharing',
  summary: 'list, accept and ignore devices and folders that others offer',
  examples: ['pending', 'pending accept docs --path ~/Documents'],
  remote: async ({ context, connection: { client }, flags }) =>
    (await import('./pending-commands.ts')).pendingList(context, client, { json: flags.isOn('json') }),
  commands: [
    remoteCommand({
      name: 'accept',
      summary: 'add an offered device or folder',
      arguments: [{ name: 'id', completes: 'pending' }],
      flags: [
        { name: 'path', value: 'DIR', description: 'Directory for the files of the folder' },
        { name: 'name', value: 'TEXT', description: 'Name or label instead of the offered one' },
        NOTHING_YET,
        { name: 'force', description: 'Add the folder even if the check of its directory finds a problem' },
      ],
      examples: [`pending accept ${EXAMPLE_ID} --name laptop`, 'pending accept docs --path ~/Documents'],
      remote: async ({ context, connection, args: [id = ''], flags }) => {
        const { pendingAccept } = await import('./pending-commands.ts')
        const options = withoutUndefined({ path: flags.text('path'), name: flags.text('name') })
        const force = flags.isOn('force')
        const nothingYet = flags.isOn('nothing-yet')
        return pendingAccept(context, connection.client, id, {
          ...options,
          force,
          nothingYet,
          json: flags.isOn('json'),
        })
      },
    }),
    remoteCommand({
      name: 'ignore',
      summary: 'reject an offered device or folder, now and in future',
      arguments: [{ name: 'id', completes: 'pending' }],
      examples: ['pending ignore docs'],
      remote: async ({ context, connection: { client }, args: [id = ''], flags }) =>
        (await import('./pending-commands.ts')).pendingIgnore(context, client, id, { json: flags.isOn('json') }),
    }),
  ],
})
