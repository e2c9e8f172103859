import { IN_SYNC, RESTART_REQUIRED } from './config.ts'
import type { Declaration, Declarations, RouteErrors } from './declaration.ts'
import type { ComponentTypes } from './components.ts'
import { list, ref } from './schema.ts'

type Part = keyof ComponentTypes & string

const ERRORS = {
  'folder-missing': { status: 404, words: 'No folder with given ID' },
  'device-missing': { status: 404, words: 'No device with given ID' },
} as const satisfies RouteErrors

const REFUSALS = {
  400: 'The body is no such JSON; nothing is changed.',
  500: 'The configuration would not be valid; nothing is changed.',
  503: 'A password cannot be hashed; the text says why, and nothing is changed.',
} as const

function read<const P extends Part>(summary: string, part: P) {
  return { summary, reply: { is: 'json', schema: ref(part) } } as const satisfies Declaration
}

function readAll<const P extends Part>(summary: string, part: P) {
  return { summary, reply: { is: 'json', schema: list(ref(part)) } } as const satisfies Declaration
}

/** A route of one folder or device, which may be unknown. */
function ofOne<const D extends Declaration>(route: D) {
  return { ...route, errors: ERRORS }
}

const EMPTY = { is: 'empty' } as const

/** A write is applied and on disk before it is answered. */
function write<const P extends Part>(summary: string, part: P, about: string) {
  const body = { schema: ref(part), about }
  return { summary, body, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

function writeAll<const P extends Part>(summary: string, part: P, about: string) {
  const body = { schema: list(ref(part)), about }
  return { summary, body, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

function remove(summary: string) {
  return { summary, reply: EMPTY, refusals: REFUSALS } as const satisfies Declaration
}

const WHOLE = 'The whole configuration: version, folders, devices, gui and options must be there.'
const REST_DEFAULT = 'What is left out is the default.'
const REST_STAYS = 'What is left out stays.'

/** Reading and changing the configuration. */
export const CONFIG_ROUTES = {
  'GET /rest/config': read('Shows the whole configuration.', 'Config'),
  'PUT /rest/config': write('Replaces the whole configuration.', 'ConfigChange', WHOLE),
  'GET /rest/system/config': read('The older name of /rest/config.', 'Config'),
  'POST /rest/system/config': write('The older way to replace the configuration.', 'ConfigChange', WHOLE),
  'GET /rest/system/config/insync': {
    summary: 'The older name of /rest/config/insync.',
    reply: { is: 'json', schema: IN_SYNC },
  },
  'GET /rest/config/insync': {
    summary: 'Tells whether all changes are in effect.',
    reply: { is: 'json', schema: IN_SYNC },
  },
  'GET /rest/config/restart-required': {
    summary: 'Tells whether a change waits for a restart.',
    reply: { is: 'json', schema: RESTART_REQUIRED },
  },

  'GET /rest/config/folders': readAll('Lists the folders.', 'Folder'),
  'PUT /rest/config/folders': writeAll(
    'Adds or replaces several folders; the others stay.',
    'FolderChange',
    REST_DEFAULT,
  ),
  'POST /rest/config/folders': write('Adds or replaces one folder.', 'FolderChange', REST_DEFAULT),
  'GET /rest/config/folders/:id': ofOne(read('Shows one folder.', 'Folder')),
  'PUT /rest/config/folders/:id': ofOne(
    write('Adds or replaces the folder in the body.', 'FolderChange', REST_DEFAULT),
  ),
  'PATCH /rest/config/folders/:id': ofOne(write('Changes the given fields of a folder.', 'FolderChange', REST_STAYS)),
  'DELETE /rest/config/folders/:id': ofOne(remove('Removes a folder from the configuration; its files stay.')),

  'GET /rest/config/devices': readAll('Lists the devices.', 'Device'),
  'PUT /rest/config/devices': writeAll(
    'Adds or replaces several devices; the others stay.',
    'DeviceChange',
    REST_DEFAULT,
  ),
  'POST /rest/config/devices': write('Adds or replaces one device.', 'DeviceChange', REST_DEFAULT),
  'GET /rest/config/devices/:id': ofOne(read('Shows one device.', 'Device')),
  'PUT /rest/config/devices/:id': ofOne(
    write('Adds or replaces the device in the body.', 'DeviceChange', REST_DEFAULT),
  ),
  'PATCH /rest/config/devices/:id': ofOne(write('Changes the given fields of a device.', 'DeviceChange', REST_STAYS)),
  'DELETE /rest/config/devices/:id': ofOne(remove('Removes a device.')),

  'GET /rest/config/defaults/folder': read('Shows what a new folder starts with.', 'Folder'),
  'PUT /rest/config/defaults/folder': write('Replaces what a new folder starts with.', 'FolderChange', REST_DEFAULT),
  'PATCH /rest/config/defaults/folder': write('Changes what a new folder starts with.', 'FolderChange', REST_STAYS),
  'GET /rest/config/defaults/device': read('Shows what a new device starts with.', 'Device'),
  'PUT /rest/config/defaults/device': write('Replaces what a new device starts with.', 'DeviceChange', REST_DEFAULT),
  'PATCH /rest/config/defaults/device': write('Changes what a new device starts with.', 'DeviceChange', REST_STAYS),
  'GET /rest/config/defaults/ignores': read('Shows the ignore patterns a new folder starts with.', 'DefaultIgnores'),
  'PUT /rest/config/defaults/ignores': write(
    'Replaces the ignore patterns a new folder starts with.',
    'DefaultIgnoresChange',
    REST_DEFAULT,
  ),

  'GET /rest/config/options': read('Shows the options.', 'Options'),
  'PUT /rest/config/options': write('Replaces the options.', 'OptionsChange', REST_DEFAULT),
  'PATCH /rest/config/options': write('Changes the given options.', 'OptionsChange', REST_STAYS),
  'GET /rest/config/ldap': read('Shows the LDAP settings.', 'Ldap'),
  'PUT /rest/config/ldap': write('Replaces the LDAP settings.', 'LdapChange', REST_DEFAULT),
  'PATCH /rest/config/ldap': write('Changes the given LDAP settings.', 'LdapChange', REST_STAYS),
  'GET /rest/config/gui': read('Shows the settings of this interface.', 'Gui'),
  'PUT /rest/config/gui': write(
    'Replaces the settings of this interface; the API key stays unless given.',
    'GuiChange',
    REST_DEFAULT,
  ),
  'PATCH /rest/config/gui': write('Changes the given settings of this interface.', 'GuiChange', REST_STAYS),
} as const satisfies Declarations
