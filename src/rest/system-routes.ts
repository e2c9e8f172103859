import type { Declarations } from './declaration.ts'
import { FOLDER_OPTIONAL } from './parameters.ts'
import { INTEGER, TEXT, list, map } from './schema.ts'
import {
  DEBUG,
  DEVICE_ID,
  DISCOVERY,
  ERRORS,
  LOG,
  LOGIN_BODY,
  LOG_LEVELS,
  PATHS,
  RANDOM_STRING,
  STATUS,
  VERSION,
} from './system.ts'
import { UPGRADE } from './upgrade.ts'

const SINCE = { schema: TEXT, about: 'Only lines after this time; an invalid time selects all lines.' } as const
const CONFIRMATION = {
  is: 'other',
  type: 'text/plain',
  about: '`{"ok": "…"}` as text, sent before the action.',
} as const

/** The device itself: version, status, paths, log and errors. */
export const SYSTEM_ROUTES = {
  'GET /rest/system/version': {
    scope: 'monitor',
    summary: 'Returns the version and the platform.',
    reply: { is: 'json', schema: VERSION },
  },
  'GET /rest/system/status': {
    scope: 'monitor',
    summary: 'Returns the status of the process.',
    reply: { is: 'json', schema: STATUS },
  },
  'GET /rest/system/paths': {
    scope: 'monitor',
    summary: 'Returns the paths of the files of the device.',
    reply: { is: 'json', schema: PATHS },
  },
  'GET /rest/system/discovery': {
    scope: 'monitor',
    summary: 'Lists cached addresses of other devices.',
    reply: { is: 'json', schema: DISCOVERY },
  },
  'GET /rest/system/log': {
    scope: 'monitor',
    summary: 'Returns the latest lines of the log.',
    query: { since: SINCE },
    reply: { is: 'json', schema: LOG },
  },
  'GET /rest/system/log.txt': {
    scope: 'monitor',
    summary: 'Returns the latest lines of the log as text.',
    query: { since: SINCE },
    reply: { is: 'other', type: 'text/plain', about: 'A time and a message on every line.' },
  },
  'GET /rest/system/error': {
    scope: 'monitor',
    summary: 'Lists the latest warnings and errors.',
    reply: { is: 'json', schema: ERRORS },
  },
  'POST /rest/system/error': {
    scope: 'operate',
    wholeDevice: true,
    summary: 'Adds an error of another program to the list.',
    body: { schema: TEXT, about: 'The message, stored unchanged.', type: 'text/plain' },
    reply: { is: 'empty' },
  },
  'POST /rest/system/error/clear': {
    scope: 'operate',
    wholeDevice: true,
    summary: 'Clears the list of errors.',
    reply: { is: 'empty' },
  },
  'GET /rest/system/browse': {
    scope: 'admin',
    summary: 'Lists directories of this machine whose path starts with the given text.',
    query: {
      current: { schema: TEXT, about: 'The text typed so far; `~` is the home directory.' },
      filesystem: { schema: TEXT, about: 'The type of file system; default `basic`.' },
    },
    reply: { is: 'json', schema: list(TEXT) },
  },
  'GET /rest/svc/deviceid': {
    scope: 'monitor',
    summary: 'Checks a device id and returns its canonical form.',
    query: { id: { schema: TEXT, about: 'The id in any form.', required: true } },
    reply: { is: 'json', schema: DEVICE_ID },
  },
  'GET /rest/svc/random/string': {
    scope: 'monitor',
    summary: 'Returns a random string for keys and passwords.',
    query: { length: { schema: INTEGER, about: 'The number of characters; default 32, at most 65536.' } },
    reply: { is: 'json', schema: RANDOM_STRING },
  },
  'GET /rest/svc/lang': {
    scope: 'open',
    summary: 'Lists the languages that a browser accepts, most preferred first.',
    reply: { is: 'json', schema: list(TEXT) },
  },
} as const satisfies Declarations

/** Shutdown, restart, reset and upgrade. */
export const LIFECYCLE_ROUTES = {
  'POST /rest/system/shutdown': { scope: 'admin', summary: 'Stops the daemon.', reply: CONFIRMATION },
  'POST /rest/system/restart': {
    scope: 'admin',
    summary: 'Stops the daemon and starts it again.',
    reply: CONFIRMATION,
  },
  'POST /rest/system/reset': {
    scope: 'admin',
    summary: 'Deletes the index of a paused folder, or of all, and restarts. Files are not changed.',
    query: { folder: FOLDER_OPTIONAL },
    reply: CONFIRMATION,
    errors: { 'folder-missing': { status: 500, text: 'Invalid folder ID' } },
    refusals: { 500: 'A folder is not paused, or unknown.' },
  },
  'GET /rest/system/upgrade': {
    scope: 'monitor',
    summary: 'Queries the npm registry for a newer release, if upgrade checks are enabled.',
    reply: { is: 'json', schema: UPGRADE },
    errors: { 'upgrade-off': { status: 501, text: 'upgrade unsupported' } },
    refusals: { 500: 'The registry could not be queried.', 501: 'Upgrade checks are switched off.' },
  },
  'POST /rest/system/upgrade': {
    scope: 'admin',
    summary: 'Installs nothing: returns the command that upgrades this installation.',
    reply: { is: 'empty' },
    refusals: { 501: 'Always: a package manager installs releases.' },
  },
} as const satisfies Declarations

/** The switches of the debug log. */
export const DEBUG_ROUTES = {
  'GET /rest/system/debug': {
    scope: 'monitor',
    summary: 'Lists the debug facilities and which of them are on.',
    reply: { is: 'json', schema: DEBUG },
  },
  'POST /rest/system/debug': {
    scope: 'admin',
    summary: 'Switches debug facilities on and off.',
    query: {
      enable: { schema: TEXT, about: 'Facilities to switch on, separated by commas.' },
      disable: { schema: TEXT, about: 'Facilities to switch off afterwards, separated by commas.' },
    },
    reply: { is: 'empty' },
  },
  'GET /rest/system/loglevels': {
    scope: 'monitor',
    summary: 'Lists the log level of every facility.',
    reply: { is: 'json', schema: LOG_LEVELS },
  },
  'POST /rest/system/loglevels': {
    scope: 'admin',
    summary: 'Sets the log level of facilities.',
    body: { schema: map(TEXT), about: 'Levels (`DEBUG`, `INFO`, `WARN`, `ERROR`) by facility.' },
    reply: { is: 'empty' },
    refusals: { 400: 'The body is not an object of levels; nothing is changed.' },
  },
} as const satisfies Declarations

/** Login and logout, without authentication. */
export const NOAUTH_ROUTES = {
  'POST /rest/noauth/auth/password': {
    scope: 'open',
    summary: 'Logs in with user and password.',
    body: { schema: LOGIN_BODY, about: 'The credentials.', lenient: true },
    reply: { is: 'empty', status: 204 },
    refusals: {
      403: 'User or password is wrong.',
      404: 'There is no password to log in with.',
      429: 'Too many logins of this address are waiting; `Retry-After` gives the seconds.',
      503: 'The password cannot be checked; the text gives the reason.',
    },
  },
  'POST /rest/noauth/auth/logout': {
    scope: 'open',
    summary: 'Logs out.',
    reply: { is: 'empty', status: 204 },
    refusals: { 404: 'There is no password to log in with.' },
  },
} as const satisfies Declarations

/** QR codes. */
export const PICTURE_ROUTES = {
  'GET /qr/': {
    scope: 'monitor',
    summary: 'Returns a text as a QR code.',
    query: { text: { schema: TEXT, about: 'The text to encode.', required: true } },
    reply: { is: 'other', type: 'image/png', about: 'The image.' },
    refusals: { 500: 'The text is too long for a QR code.' },
  },
} as const satisfies Declarations

/** Files of the web page. */
export const STATIC_ROUTES = {
  'GET /': {
    scope: 'open',
    summary: 'The web page.',
    reply: { is: 'other', type: 'text/html', about: 'An HTML page.' },
  },
  'GET /index.html': {
    scope: 'open',
    summary: 'The web page.',
    reply: { is: 'other', type: 'text/html', about: 'An HTML page.' },
  },
  'GET /manual': {
    scope: 'open',
    summary: 'The contents of the manual, or the result of a search in it, as a web page.',
    query: { q: { schema: TEXT, about: 'The words to search for, up to 100 characters.' } },
    reply: { is: 'other', type: 'text/html', about: 'An HTML page.' },
    refusals: { 404: 'The manual was not built.' },
  },
  'GET /manual/:id': {
    scope: 'open',
    summary: 'One chapter of the manual, as a web page.',
    reply: { is: 'other', type: 'text/html', about: 'An HTML page.' },
    refusals: { 404: 'There is no such chapter.' },
  },
  'GET /assets/:id': {
    scope: 'open',
    summary: 'A file that belongs to the web page.',
    reply: { is: 'other', type: '*/*', about: 'A script, a style sheet or an image.' },
    refusals: { 404: 'There is no such file.' },
  },
  'GET /meta.js': {
    scope: 'monitor',
    summary: 'The identity of this device, as a script for the graphical interface.',
    reply: { is: 'other', type: 'application/javascript', about: 'Sets the variable `metadata`.' },
  },
  'GET /themes.json': {
    scope: 'monitor',
    summary: 'Lists the themes of the graphical interface.',
    reply: { is: 'json', schema: { type: 'object', properties: { themes: list(TEXT) }, required: ['themes'] } },
  },
} as const satisfies Declarations
