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

const NOT_THERE = {
  'folder-missing': { status: 404 },
  'folder-paused': { status: 404 },
  'folder-not-running': { status: 404 },
} as const satisfies RouteErrors

/** Folders, their files and their queues. */
export const DB_ROUTES = {
  'POST /rest/db/scan': {
    summary: 'Scans a folder, or paths inside it, and answers when that is done.',
    query: {
      folder: FOLDER_OPTIONAL,
      sub: {
        schema: TEXT,
        about: 'A path inside the folder to look at instead of everything; may be given several times.',
        repeated: true,
      },
      next: { schema: COUNT, about: 'Seconds until the next automatic scan of the folder.', strict: true },
    },
    reply: { is: 'empty' },
    refusals: {
      400: 'A path leads out of the folder, or `next` is no whole number from 0.',
      500: 'The folder is missing, paused or cannot be scanned; the text says why.',
    },
  },
  'POST /rest/db/prio': {
    summary: 'Moves a file to the top of the download queue and lists the queue.',
    query: { folder: FOLDER, file: { schema: TEXT, about: 'The path of the file.', required: true }, ...PAGING },
    reply: { is: 'json', schema: NEED },
    errors: noSuchFolder(404),
  },
  'GET /rest/db/need': {
    summary: 'Lists what a folder still needs, page by page.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: NEED },
    errors: noSuchFolder(404),
  },
  'GET /rest/db/status': {
    summary: 'Tells the state of a folder and counts what is in it.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: FOLDER_STATUS },
    errors: { 'folder-missing': { status: 404 } },
  },
  'GET /rest/db/browse': {
    summary: 'Lists the global tree of a folder.',
    query: {
      folder: FOLDER,
      prefix: { schema: TEXT, about: 'The directory to begin at.' },
      levels: LEVELS,
      dirsonly: { schema: TEXT, about: 'Any value but an empty one leaves files out.' },
    },
    reply: { is: 'json', schema: list(ref('TreeEntry')) },
    errors: noSuchFolder(500),
  },
  'GET /rest/db/file': {
    summary: 'Shows what is known about one file, here and everywhere.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'The path of the file, as the index has it.', required: true },
    },
    reply: { is: 'json', schema: FILE_VIEW },
    errors: { ...noSuchFolder(404), 'file-missing': { status: 404, words: 'No such object in the index' } },
  },
  'GET /rest/db/ignores': {
    summary: 'Shows the ignore patterns of a folder.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: IGNORES },
  },
  'POST /rest/db/ignores': {
    summary: 'Writes the ignore patterns of a folder; an empty list removes them.',
    query: { folder: FOLDER },
    body: { schema: IGNORES_BODY, about: 'The lines of the file.', lenient: true },
    reply: { is: 'json', schema: IGNORES },
    errors: { 'folder-missing': { status: 500, words: 'folder  does not exist' }, 'bad-request': { status: 500 } },
  },
  'GET /rest/folder/errors': {
    summary: 'Lists the items of a folder that could not be scanned or synchronized.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: FOLDER_ERRORS },
    errors: NOT_THERE,
  },
  'GET /rest/folder/pullerrors': {
    summary: 'The older name of /rest/folder/errors.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: FOLDER_ERRORS },
    errors: NOT_THERE,
  },
  'GET /rest/stats/folder': {
    summary: 'Tells when each folder was last scanned and last changed.',
    reply: { is: 'json', schema: FOLDER_STATISTICS },
  },
} as const satisfies Declarations

/** How far other devices are, and when they were here. */
export const COMPLETION_ROUTES = {
  'GET /rest/db/completion': {
    summary: 'Tells how much of a folder a device has.',
    query: { folder: FOLDER_OPTIONAL, device: DEVICE_OPTIONAL },
    reply: { is: 'json', schema: COMPLETION },
    errors: { 'folder-missing': { status: 404 }, 'folder-paused': { status: 404 } },
  },
  'GET /rest/db/remoteneed': {
    summary: 'Lists what another device still needs, page by page.',
    query: { folder: FOLDER, device: DEVICE_OPTIONAL, ...PAGING },
    reply: { is: 'json', schema: REMOTE_NEED },
    errors: { 'folder-missing': { status: 404 }, 'folder-paused': { status: 404 }, 'bad-request': { status: 500 } },
  },
  'GET /rest/stats/device': {
    summary: 'Tells when each device was last connected.',
    reply: { is: 'json', schema: DEVICE_STATISTICS },
  },
} as const satisfies Declarations
