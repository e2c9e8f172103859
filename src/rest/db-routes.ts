import { COMPLETION, DEVICE_STATISTICS, REMOTE_NEED } from './completion.ts'
import {
  FILE_VIEW,
  FOLDER_ERRORS,
  FOLDER_STATISTICS,
  FOLDER_STATUS,
  IGNORES,
  IGNORES_BODY,
  LEVELS,
  NEED,
} from './db.ts'
import { noSuchFolder, type Declarations, type RouteErrors } from './declaration.ts'
import { DEVICE_OPTIONAL, FOLDER, FOLDER_OPTIONAL, PAGING } from './parameters.ts'
import { COUNT, TEXT, list, ref } from './schema.ts'

const FOLDER_UNAVAILABLE = {
  'folder-missing': { status: 404 },
  'folder-paused': { status: 404 },
  'folder-not-running': { status: 404 },
} as const satisfies RouteErrors

/** Folders, their files and their queues. */
export const DB_ROUTES = {
  'POST /rest/db/scan': {
    scope: 'operate',
    summary: 'Scans a folder, or paths inside it, and replies when the scan is done.',
    query: {
      folder: FOLDER_OPTIONAL,
      sub: {
        schema: TEXT,
        about: 'A path inside the folder to scan instead of the whole folder; may be repeated.',
        repeated: true,
      },
      next: { schema: COUNT, about: 'Seconds until the next automatic scan of the folder.', strict: true },
    },
    reply: { is: 'empty' },
    refusals: {
      400: 'A path leads out of the folder, or `next` is not a whole number from 0.',
      500: 'The folder is missing, paused or cannot be scanned; the text gives the reason.',
    },
  },
  'POST /rest/db/prio': {
    scope: 'operate',
    summary: 'Moves a file to the top of the download queue and lists the queue.',
    query: { folder: FOLDER, file: { schema: TEXT, about: 'The path of the file.', required: true }, ...PAGING },
    reply: { is: 'json', schema: NEED },
    errors: noSuchFolder(404),
  },
  'GET /rest/db/need': {
    scope: 'monitor',
    summary: 'Lists the items that a folder needs, paged.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: NEED },
    errors: noSuchFolder(404),
  },
  'GET /rest/db/status': {
    scope: 'monitor',
    summary: 'Returns the state of a folder and the counts of its items.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: FOLDER_STATUS },
    errors: { 'folder-missing': { status: 404 } },
  },
  'GET /rest/db/browse': {
    scope: 'monitor',
    summary: 'Lists the global tree of a folder.',
    query: {
      folder: FOLDER,
      prefix: { schema: TEXT, about: 'The directory to start at.' },
      levels: LEVELS,
      dirsonly: { schema: TEXT, about: 'Any value that is not empty omits files.' },
    },
    reply: { is: 'json', schema: list(ref('TreeEntry')) },
    errors: noSuchFolder(500),
  },
  'GET /rest/db/file': {
    scope: 'monitor',
    summary: 'Returns the local and the global record of a file.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'The path of the file, as in the index.', required: true },
    },
    reply: { is: 'json', schema: FILE_VIEW },
    errors: { ...noSuchFolder(404), 'file-missing': { status: 404, text: 'No such object in the index' } },
  },
  'GET /rest/db/ignores': {
    scope: 'monitor',
    summary: 'Returns the ignore patterns of a folder.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: IGNORES },
  },
  'POST /rest/db/ignores': {
    scope: 'admin',
    summary: 'Writes the ignore patterns of a folder; an empty list removes them.',
    query: { folder: FOLDER },
    body: { schema: IGNORES_BODY, about: 'The lines of the file.', lenient: true },
    reply: { is: 'json', schema: IGNORES },
    errors: { 'folder-missing': { status: 500, text: 'folder  does not exist' }, 'bad-request': { status: 500 } },
  },
  'GET /rest/folder/errors': {
    scope: 'monitor',
    summary: 'Lists the items of a folder that could not be scanned or synchronized.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: FOLDER_ERRORS },
    errors: FOLDER_UNAVAILABLE,
  },
  'GET /rest/folder/pullerrors': {
    scope: 'monitor',
    summary: 'The deprecated name of /rest/folder/errors.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: FOLDER_ERRORS },
    errors: FOLDER_UNAVAILABLE,
  },
  'GET /rest/stats/folder': {
    scope: 'monitor',
    summary: 'Returns when each folder was last scanned and last changed.',
    reply: { is: 'json', schema: FOLDER_STATISTICS },
  },
} as const satisfies Declarations

/** The completion of other devices, and when they were last connected. */
export const COMPLETION_ROUTES = {
  'GET /rest/db/completion': {
    scope: 'monitor',
    summary: 'Returns how much of a folder a device has.',
    query: { folder: FOLDER_OPTIONAL, device: DEVICE_OPTIONAL },
    reply: { is: 'json', schema: COMPLETION },
    errors: { 'folder-missing': { status: 404 }, 'folder-paused': { status: 404 } },
  },
  'GET /rest/db/remoteneed': {
    scope: 'monitor',
    summary: 'Lists the items that another device needs, paged.',
    query: { folder: FOLDER, device: DEVICE_OPTIONAL, ...PAGING },
    reply: { is: 'json', schema: REMOTE_NEED },
    errors: { 'folder-missing': { status: 404 }, 'folder-paused': { status: 404 }, 'bad-request': { status: 500 } },
  },
  'GET /rest/stats/device': {
    scope: 'monitor',
    summary: 'Returns when each device was last connected.',
    reply: { is: 'json', schema: DEVICE_STATISTICS },
  },
} as const satisfies Declarations
