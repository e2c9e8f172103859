import { IN_SYNC, RESTART_REQUIRED } from './config.ts'
import type { Declaration, Declarations, RouteErrors } from './declaration.ts'
import type { ComponentTypes } from './components.ts'
import { list, ref } from './schema.ts'

type Part = keyof ComponentTypes & string

const ERRORS = {
  'folder-missing': { status: 404, text: 'No folder with given ID' },
  'device-missing': { status: 404, text: 'No device with given ID' },
} as const satisfies RouteErrors

const REFUSALS = {
  400: 'The body is not valid JSON of this schema, or a folder would contain the home; nothing is changed.',
  500: 'The configuration would not be valid; nothing is changed.',
  503: 'A password cannot be hashed; the text gives the reason, and nothing is changed.',
} as const

function read<const P extends Part>(summary: string, part: P) {
  return { scope: 'monitor', summary, reply: { is: 'json', schema: ref(part) } } as const satisfies Declaration
}

function readAll<const P extends Part>(summary: string, part: P) {
  return { scope: 'monitor', summary, reply: { is: 'json', schema: list(ref(part)) } } as const satisfies Declaration
}

/** A route of one folder or device, which may be unknown. */
function ofOne<const D extends Declaration>(route: D) {
  return { ...route, errors: ERRORS }
}

const EMPTY = { is: 'empty' } as const

/** A write is applied and saved before the reply. */
function write<const P extends Part>(summary: string, part: P, about: string) {
  const body = { schema: ref(part), about }
  return { scope: 'admin', summary, body, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

function writeAll<const P extends Part>(summary: string, part: P, about: string) {
  const body = { schema: list(ref(part)), about }
  return { scope: 'admin', summary, body, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

function remove(summary: string) {
  return { scope: 'admin', summary, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

const WHOLE = 'The whole configuration: version, folders, devices, gui and options are required.'
const OTHERS_DEFAULT = 'Missing fields get their defaults.'
const OTHERS_KEPT = 'Missing fields keep their values.'

/** Reading and changing the configuration. */
export const CONFIG_ROUTES = {
  'GET /rest/config': read('Returns the whole configuration.', 'Config'),
  'PUT /rest/config': write('Replaces the whole configuration.', 'ConfigChange', WHOLE),
  'GET /rest/system/config': read('The deprecated name of /rest/config.', 'Config'),
  'POST /rest/system/config': write('The deprecated route to replace the configuration.', 'ConfigChange', WHOLE),
  'GET /rest/system/config/insync': {
    scope: 'monitor',
    summary: 'The deprecated name of /rest/config/insync.',
    reply: { is: 'json', schema: IN_SYNC },
  },
  'GET /rest/config/insync': {
    scope: 'monitor',
    summary: 'Returns whether all changes are in effect.',
    reply: { is: 'json', schema: IN_SYNC },
  },
  'GET /rest/config/restart-required': {
    scope: 'monitor',
    summary: 'Returns whether a change requires a restart.',
    reply: { is: 'json', schema: RESTART_REQUIRED },
  },

  'GET /rest/config/folders': readAll('Lists the folders.', 'Folder'),
  'PUT /rest/config/folders': writeAll(
    'Adds or replaces several folders; the others are kept.',
    'FolderChange',
    OTHERS_DEFAULT,
  ),
  'POST /rest/config/folders': write('Adds or replaces one folder.', 'FolderChange', OTHERS_DEFAULT),
  'GET /rest/config/folders/:id': ofOne(read('Returns one folder.', 'Folder')),
  'PUT /rest/config/folders/:id': ofOne(
    write('Adds or replaces the folder in the body.', 'FolderChange', OTHERS_DEFAULT),
  ),
  'PATCH /rest/config/folders/:id': {
    ...ofOne(write('Changes the given fields of a folder.', 'FolderChange', OTHERS_KEPT)),
    operable: ['paused'],
  },
  'DELETE /rest/config/folders/:id': ofOne(remove('Removes a folder from the configuration; its files are kept.')),

  'GET /rest/config/devices': readAll('Lists the devices.', 'Device'),
  'PUT /rest/config/devices': writeAll(
    'Adds or replaces several devices; the others are kept.',
    'DeviceChange',
    OTHERS_DEFAULT,
  ),
  'POST /rest/config/devices': write('Adds or replaces one device.', 'DeviceChange', OTHERS_DEFAULT),
  'GET /rest/config/devices/:id': ofOne(read('Returns one device.', 'Device')),
  'PUT /rest/config/devices/:id': ofOne(
    write('Adds or replaces the device in the body.', 'DeviceChange', OTHERS_DEFAULT),
  ),
  'PATCH /rest/config/devices/:id': {
    ...ofOne(write('Changes the given fields of a device.', 'DeviceChange', OTHERS_KEPT)),
    operable: ['paused'],
    wholeDevice: true,
  },
  'DELETE /rest/config/devices/:id': ofOne(remove('Removes a device.')),

  'GET /rest/config/defaults/folder': read('Returns the defaults for new folders.', 'Folder'),
  'PUT /rest/config/defaults/folder': write('Replaces the defaults for new folders.', 'FolderChange', OTHERS_DEFAULT),
  'PATCH /rest/config/defaults/folder': write(
    'Changes the given defaults for new folders.',
    'FolderChange',
    OTHERS_KEPT,
  ),
  'GET /rest/config/defaults/device': read('Returns the defaults for new devices.', 'Device'),
  'PUT /rest/config/defaults/device': write('Replaces the defaults for new devices.', 'DeviceChange', OTHERS_DEFAULT),
  'PATCH /rest/config/defaults/device': write(
    'Changes the given defaults for new devices.',
    'DeviceChange',
    OTHERS_KEPT,
  ),
  'GET /rest/config/defaults/ignores': read('Returns the default ignore patterns for new folders.', 'DefaultIgnores'),
  'PUT /rest/config/defaults/ignores': write(
    'Replaces the default ignore patterns for new folders.',
    'DefaultIgnoresChange',
    OTHERS_DEFAULT,
  ),

  'GET /rest/config/options': read('Returns the options.', 'Options'),
  'PUT /rest/config/options': write('Replaces the options.', 'OptionsChange', OTHERS_DEFAULT),
  'PATCH /rest/config/options': write('Changes the given options.', 'OptionsChange', OTHERS_KEPT),
  'GET /rest/config/ldap': read('Returns the LDAP settings.', 'Ldap'),
  'PUT /rest/config/ldap': write('Replaces the LDAP settings.', 'LdapChange', OTHERS_DEFAULT),
  'PATCH /rest/config/ldap': write('Changes the given LDAP settings.', 'LdapChange', OTHERS_KEPT),
  'GET /rest/config/gui': read('Returns the settings of this interface.', 'Gui'),
  'PUT /rest/config/gui': write(
    'Replaces the settings of this interface; the API key is kept unless given.',
    'GuiChange',
    OTHERS_DEFAULT,
  ),
  'PATCH /rest/config/gui': write('Changes the given settings of this interface.', 'GuiChange', OTHERS_KEPT),
} as const satisfies Declarations
