import type { Declarations } from './declaration.ts'
import { FOLDER_OPTIONAL } from './parameters.ts'
import { INTEGER, TEXT, list, map } from './schema.ts'
import {
  DEBUG,
  DEVICE_ID,
  DISCOVERY,
  ERRORS,
  HEALTH,
  LOG,
  LOGIN_BODY,
  LOG_LEVELS,
  PATHS,
  PING,
  RANDOM_STRING,
  STATUS,
  VERSION,
} from './system.ts'
import { UPGRADE } from './upgrade.ts'

const SINCE = { schema: TEXT, about: 'Only lines after this time; one nobody can read means all.' } as const
const FAREWELL = { is: 'other', type: 'text/plain', about: '`{"ok": "…"}` as text, before it happens.' } as const

/** The device itself: is it there, which version, where are its files, what went wrong. */
export const SYSTEM_ROUTES = {
  'GET /rest/system/ping': { summary: 'Answers pong.', reply: { is: 'json', schema: PING } },
  'POST /rest/system/ping': { summary: 'Answers pong.', reply: { is: 'json', schema: PING } },
  'GET /rest/system/version': {
    summary: 'Tells which version runs on which system.',
    reply: { is: 'json', schema: VERSION },
  },
  'GET /rest/system/status': { summary: 'Tells how the process is doing.', reply: { is: 'json', schema: STATUS } },
  'GET /rest/system/paths': {
    summary: 'Tells where the files of the device are.',
    reply: { is: 'json', schema: PATHS },
  },
  'GET /rest/system/discovery': {
    summary: 'Lists cached addresses of other devices.',
    reply: { is: 'json', schema: DISCOVERY },
  },
  'GET /rest/system/log': {
    summary: 'Shows the latest lines of the log.',
    query: { since: SINCE },
    reply: { is: 'json', schema: LOG },
  },
  'GET /rest/system/log.txt': {
    summary: 'Shows the latest lines of the log as text.',
    query: { since: SINCE },
    reply: { is: 'other', type: 'text/plain', about: 'A time and a message on every line.' },
  },
  'GET /rest/system/error': {
    summary: 'Lists the latest warnings and errors.',
    reply: { is: 'json', schema: ERRORS },
  },
  'POST /rest/system/error': {
    summary: 'Adds an error of another program to the list.',
    body: { schema: TEXT, about: 'The message, kept as it is.', type: 'text/plain' },
    reply: { is: 'empty' },
  },
  'POST /rest/system/error/clear': { summary: 'Clears the list of errors.', reply: { is: 'empty' } },
  'GET /rest/system/browse': {
    summary: 'Lists directories of this machine whose path starts with what was typed.',
    query: {
      current: { schema: TEXT, about: 'What was typed so far; `~` is the home directory.' },
      filesystem: { schema: TEXT, about: 'The kind of file system, `basic` unless told.' },
    },
    reply: { is: 'json', schema: list(TEXT) },
  },
  'GET /rest/svc/deviceid': {
    summary: 'Checks a device id and shows its usual form.',
    query: { id: { schema: TEXT, about: 'The id in any form.', required: true } },
    reply: { is: 'json', schema: DEVICE_ID },
  },
  'GET /rest/svc/random/string': {
    summary: 'Makes a random text for keys and passwords.',
    query: { length: { schema: INTEGER, about: 'How many characters, 32 unless told and at most 65536.' } },
    reply: { is: 'json', schema: RANDOM_STRING },
  },
  'GET /rest/svc/lang': {
    summary: 'Lists the languages a browser asks for, the dearest first.',
    reply: { is: 'json', schema: list(TEXT) },
    open: true,
  },
} as const satisfies Declarations

/** Stopping, starting again, and what else ends a run of the daemon. */
export const LIFECYCLE_ROUTES = {
  'POST /rest/system/shutdown': { summary: 'Stops the daemon.', reply: FAREWELL },
  'POST /rest/system/restart': { summary: 'Stops the daemon and starts it again.', reply: FAREWELL },
  'POST /rest/system/reset': {
    summary: 'Forgets the index of a paused folder, or of all, and starts again. Files stay as they are.',
    query: { folder: FOLDER_OPTIONAL },
    reply: FAREWELL,
    errors: { 'folder-missing': { status: 500, words: 'Invalid folder ID' } },
    refusals: { 500: 'A folder is not paused, or unknown.' },
  },
  'GET /rest/system/upgrade': {
    summary: 'Asks the npm registry whether there is a newer release, if upgrade checks are switched on.',
    reply: { is: 'json', schema: UPGRADE },
    errors: { 'upgrade-off': { status: 501, words: 'upgrade unsupported' } },
    refusals: { 500: 'The registry could not be asked.', 501: 'Upgrade checks are switched off.' },
  },
  'POST /rest/system/upgrade': {
    summary: 'Installs nothing: answers with the command that upgrades this installation.',
    reply: { is: 'empty' },
    refusals: { 501: 'Always: a package manager installs releases.' },
  },
} as const satisfies Declarations

/** The switches of the debug log. */
export const DEBUG_ROUTES = {
  'GET /rest/system/debug': {
    summary: 'Lists the debug facilities and which of them are on.',
    reply: { is: 'json', schema: DEBUG },
  },
  'POST /rest/system/debug': {
    summary: 'Switches debug facilities on and off.',
    query: {
      enable: { schema: TEXT, about: 'Facilities to switch on, separated by commas.' },
      disable: { schema: TEXT, about: 'Facilities to switch off afterwards, separated by commas.' },
    },
    reply: { is: 'empty' },
  },
  'GET /rest/system/loglevels': {
    summary: 'Lists the log level of every facility.',
    reply: { is: 'json', schema: LOG_LEVELS },
  },
  'POST /rest/system/loglevels': {
    summary: 'Sets the log level of facilities.',
    body: { schema: map(TEXT), about: 'Levels (`DEBUG`, `INFO`, `WARN`, `ERROR`) by facility.' },
    reply: { is: 'empty' },
    refusals: { 400: 'The body is no object of levels; nothing is changed.' },
  },
} as const satisfies Declarations

/** What anybody may ask: whether we live, and to be let in. */
export const NOAUTH_ROUTES = {
  'GET /rest/noauth/health': {
    summary: 'Tells that the device is up.',
    reply: { is: 'json', schema: HEALTH },
    open: true,
  },
  'POST /rest/noauth/auth/password': {
    summary: 'Logs in with user and password.',
    body: { schema: LOGIN_BODY, about: 'Who asks.', lenient: true },
    reply: { is: 'empty', status: 204 },
    refusals: {
      403: 'User or password is wrong.',
      404: 'There is no password to log in with.',
      503: 'The password cannot be checked; the text says why.',
    },
    open: true,
  },
  'POST /rest/noauth/auth/logout': {
    summary: 'Logs out.',
    reply: { is: 'empty', status: 204 },
    refusals: { 404: 'There is no password to log in with.' },
    open: true,
  },
} as const satisfies Declarations

/** A text that a camera can read. */
export const PICTURE_ROUTES = {
  'GET /qr/': {
    summary: 'Draws a text as a QR code.',
    query: { text: { schema: TEXT, about: 'What to draw.', required: true } },
    reply: { is: 'other', type: 'image/png', about: 'The picture.' },
    refusals: { 500: 'The text is too long for a picture.' },
  },
} as const satisfies Declarations

/** What a browser asks for. */
export const STATIC_ROUTES = {
  'GET /': {
    summary: 'The web page.',
    reply: { is: 'other', type: 'text/html', about: 'A page for people.' },
    open: true,
  },
  'GET /index.html': {
    summary: 'The web page.',
    reply: { is: 'other', type: 'text/html', about: 'A page for people.' },
    open: true,
  },
  'GET /assets/:id': {
    summary: 'A file that belongs to the web page.',
    reply: { is: 'other', type: '*/*', about: 'A script, a style sheet or a picture.' },
    refusals: { 404: 'There is no such file.' },
    open: true,
  },
  'GET /meta.js': {
    summary: 'Who this device is, as a script for the graphical interface.',
    reply: { is: 'other', type: 'application/javascript', about: 'Sets the variable `metadata`.' },
  },
  'GET /themes.json': {
    summary: 'Lists the themes of the graphical interface.',
    reply: { is: 'json', schema: { type: 'object', properties: { themes: list(TEXT) }, required: ['themes'] } },
  },
} as const satisfies Declarations
