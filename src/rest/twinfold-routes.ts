import {
  CONFLICT_COUNTS,
  CONFLICT_DIFF,
  CONFLICTS,
  DIFF_ERRORS,
  RESOLVE_CONFLICTS_BODY,
  RESOLVE_ERRORS,
  RESOLVED_CONFLICTS,
} from './conflicts.ts'
import type { Declarations, RouteErrors } from './declaration.ts'
import { INDEX_IMPORT_REPLY } from './index-import.ts'
import { FIND, SEARCH_FROM } from './find.ts'
import { MOVE_REPLY, MOVE_STARTED } from './move.ts'
import { DISAGREEMENTS, NETWORK } from './network.ts'
import { FOLDER, FOLDER_OPTIONAL, SMALL_PAGING } from './parameters.ts'
import { TEXT } from './schema.ts'
import { SELECT_BODY, SELECTED, SELECTION } from './selection.ts'
import { UPGRADE_DETAILS } from './upgrade.ts'
import {
  CHECK_FOLDER,
  IGNORE_PREVIEW,
  IGNORE_PREVIEW_BODY,
  PULSE,
  SEARCH,
  SUMMARY,
  TREE,
  WAITING,
  WARNINGS,
  WHY_REPLY,
} from './twinfold.ts'

const NO_FOLDER = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
} as const satisfies RouteErrors

const MOVE_ERRORS = { 'folder-missing': { status: 404 }, refused: { status: 409 } } as const satisfies RouteErrors

/** Routes for the web page that Syncthing's interface does not have. */
const FLAG = { enum: ['true', 'false'] } as const

export const TWINFOLD_ROUTES = {
  'GET /rest/twinfold/summary': {
    scope: 'monitor',
    summary: 'Returns the initial state of the web page in one reply: folders, devices, pending requests, errors.',
    reply: { is: 'json', schema: SUMMARY },
  },
  'GET /rest/twinfold/pulse': {
    scope: 'monitor',
    summary: 'Returns values that have no events: bytes in and out by device, and the start time of the process.',
    reply: { is: 'json', schema: PULSE },
  },
  'GET /rest/twinfold/warnings': {
    scope: 'monitor',
    summary: 'Lists the settings that put the device or its data at risk, each with its remedy.',
    reply: { is: 'json', schema: WARNINGS },
  },
  'GET /rest/twinfold/index-import': {
    scope: 'monitor',
    summary: 'Returns the progress of the import of the index of Syncthing.',
    reply: { is: 'json', schema: INDEX_IMPORT_REPLY },
  },
  'GET /rest/twinfold/disagreements': {
    scope: 'monitor',
    summary: 'Lists folders whose encryption is configured differently here and on another device, with remedies.',
    reply: { is: 'json', schema: DISAGREEMENTS },
  },
  'GET /rest/twinfold/network': {
    scope: 'monitor',
    summary: 'Returns the state of port mapping: the mapped ports, or why there are none.',
    reply: { is: 'json', schema: NETWORK },
  },
  'GET /rest/twinfold/upgrade': {
    scope: 'monitor',
    summary: 'Returns the result of the last upgrade check, the changes, and how to upgrade. Sends no request.',
    reply: { is: 'json', schema: UPGRADE_DETAILS },
  },
  'GET /rest/twinfold/tree': {
    scope: 'monitor',
    summary: 'Lists one directory of a folder: its items, their local state, and the version that each device has.',
    query: {
      folder: FOLDER,
      prefix: { schema: TEXT, about: 'The path of the directory; the top level when absent.' },
      sort: {
        schema: { enum: ['name', 'size', 'modified'] },
        about: 'The order, directories before other items; default name.',
      },
      descending: { schema: FLAG, about: 'Whether the order is reversed; default false.' },
      ignored: {
        schema: FLAG,
        about:
          'Whether ignored items on disk that no device has announced are listed, after the others; default false.',
      },
      ...SMALL_PAGING,
    },
    reply: { is: 'json', schema: TREE },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/waiting': {
    scope: 'monitor',
    summary:
      'Lists the items that a folder needs, in the order of downloading, each with the reason why it is missing.',
    query: {
      folder: FOLDER,
      ...SMALL_PAGING,
      after: {
        schema: TEXT,
        about:
          'The last item of the page before. While it is needed, the page begins after it, at a cost that does not ' +
          'depend on the page number.',
      },
      before: { schema: TEXT, about: 'The first item of the next page; the page ends before it. Not with `after`.' },
    },
    reply: { is: 'json', schema: WAITING },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/why': {
    scope: 'monitor',
    summary: 'Returns the reasons for the state of a file.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'The path of the file, as in the index.', required: true },
    },
    reply: { is: 'json', schema: WHY_REPLY },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/search': {
    scope: 'monitor',
    summary:
      'Finds names that contain a text, ignoring case. A text with a slash is compared with whole paths. One request ' +
      'searches a part of a large folder; `next` of its reply goes on.',
    query: {
      folder: FOLDER,
      text: { schema: TEXT, about: 'The text to search for, up to 200 characters.', required: true },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 200 },
        about: 'The maximum number of results; default 200.',
        strict: true,
      },
      from: SEARCH_FROM,
    },
    reply: { is: 'json', schema: SEARCH },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/find': {
    scope: 'monitor',
    summary:
      'Finds names that contain a text in all folders, as `GET /rest/twinfold/search` does in one. A folder that is ' +
      'removed or stopped between two requests has no more results; the search goes on with the next one.',
    query: {
      text: { schema: TEXT, about: 'The text to search for, up to 200 characters.', required: true },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 200 },
        about: 'The maximum number of results; default 20.',
        strict: true,
      },
      from: SEARCH_FROM,
    },
    reply: { is: 'json', schema: FIND },
  },
  'POST /rest/twinfold/ignore-preview': {
    scope: 'monitor',
    summary:
      'Returns the names, of the index and the disk, that these ignore patterns would ignore. Nothing is changed.',
    query: { folder: FOLDER },
    body: { schema: IGNORE_PREVIEW_BODY, about: 'The lines of the ignore file to preview.' },
    reply: { is: 'json', schema: IGNORE_PREVIEW },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/selection': {
    scope: 'monitor',
    summary: 'Returns what of a folder is kept on this device, and what is dropped.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: SELECTION },
    errors: NO_FOLDER,
  },
  'POST /rest/twinfold/selection': {
    scope: 'admin',
    summary:
      'Keeps and drops items of a folder on this device, or previews it. Dropped items are removed here and nowhere ' +
      'else; a drop of files that no other device has is refused.',
    query: { folder: FOLDER },
    body: { schema: SELECT_BODY, about: 'Up to 10,000 paths to keep or drop.' },
    reply: { is: 'json', schema: SELECTED },
    errors: {
      ...NO_FOLDER,
      'ignore-invalid': { status: 409 },
      'path-escapes-folder': { status: 400 },
      refused: { status: 409 },
    },
  },
  'POST /rest/twinfold/check-folder': {
    scope: 'admin',
    summary: 'Checks whether a directory can become a folder: its place, and whether it can be read and written.',
    query: { path: { schema: TEXT, about: 'The path, as in the settings of a folder.', required: true } },
    reply: { is: 'json', schema: CHECK_FOLDER },
  },
  'POST /rest/twinfold/pause': {
    scope: 'operate',
    summary: 'Pauses a folder or a device for a time; afterwards it is resumed, also after a restart.',
    query: {
      folder: { schema: TEXT, about: 'The id of the folder to pause.' },
      device: { schema: TEXT, about: 'The id of the device to pause, where no folder is given.' },
      seconds: {
        schema: { type: 'integer', minimum: 1, maximum: 2_592_000 },
        about: 'For how long, at most 30 days.',
        required: true,
        strict: true,
      },
    },
    reply: { is: 'empty' },
    errors: { 'folder-missing': { status: 404 }, 'device-missing': { status: 404 } },
  },
  'POST /rest/twinfold/move': {
    scope: 'admin',
    summary: 'Moves a folder with its files to another directory, or returns what that would do.',
    query: {
      folder: FOLDER,
      path: {
        schema: TEXT,
        about: 'The new directory: absolute or with ~, missing or empty, apart from all folders.',
        required: true,
      },
      preview: { schema: FLAG, about: 'Whether nothing is changed; default false.' },
    },
    reply: { is: 'json', schema: MOVE_STARTED },
    errors: MOVE_ERRORS,
  },
  'GET /rest/twinfold/move': {
    scope: 'monitor',
    summary: 'Returns the progress of the move of a folder, or the result of its last one.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: MOVE_REPLY },
    errors: MOVE_ERRORS,
  },
  'DELETE /rest/twinfold/move': {
    scope: 'admin',
    summary: 'Cancels the move of a folder while it is at its old place: what was copied is removed.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
    errors: MOVE_ERRORS,
  },
  'GET /rest/twinfold/conflict-counts': {
    scope: 'monitor',
    summary: 'Counts the local conflict copies of every folder.',
    reply: { is: 'json', schema: CONFLICT_COUNTS },
  },
  'GET /rest/twinfold/conflicts': {
    scope: 'monitor',
    summary: 'Lists the local conflict copies of a folder, or of all folders, each with the file that it is a copy of.',
    query: { folder: FOLDER_OPTIONAL, ...SMALL_PAGING },
    reply: { is: 'json', schema: CONFLICTS },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/conflicts/diff': {
    scope: 'monitor',
    summary:
      'Compares the two files of a conflict, as they are on this disk: the left one is the file, the right one its ' +
      'conflict copy.',
    query: { folder: FOLDER, name: { schema: TEXT, about: 'The path of the conflict copy.', required: true } },
    reply: { is: 'json', schema: CONFLICT_DIFF },
    errors: DIFF_ERRORS,
  },
  'POST /rest/twinfold/conflicts': {
    scope: 'operate',
    summary:
      'Resolves conflicts: keeps the files, their conflict copies, both, or a merged text. What is not kept becomes ' +
      'an old version.',
    query: { folder: FOLDER },
    body: { schema: RESOLVE_CONFLICTS_BODY, about: 'Up to 500 conflict copies, and what is kept of each.' },
    reply: { is: 'json', schema: RESOLVED_CONFLICTS },
    errors: RESOLVE_ERRORS,
  },
} as const satisfies Declarations
