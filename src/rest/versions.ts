import { noSuchFolder, type Declarations } from './declaration.ts'
import { FOLDER, PAGE, PAGING } from './parameters.ts'
import { COUNT, TEXT, TIME, list, map, object, ref, type Static } from './schema.ts'

/** Local changes in send-only and receive-only folders, and older versions of files. */

const LOCAL_CHANGED = object({ files: list(ref('FileEntry')), ...PAGE })

export type LocalChangedJson = Static<typeof LOCAL_CHANGED>

const FILE_VERSION = object({ versionTime: TIME, modTime: TIME, size: COUNT })

export type FileVersionJson = Static<typeof FILE_VERSION>

/** By path, the newest first. */
const VERSIONS = map(list(FILE_VERSION))

export type VersionsJson = Static<typeof VERSIONS>

/** The errors of files that could not be restored, by path. */
const RESTORE_RESULT = map(TEXT)

export type RestoreResultJson = Static<typeof RESTORE_RESULT>

export const LOCAL_CHANGE_ROUTES = {
  'GET /rest/db/localchanged': {
    scope: 'monitor',
    summary: 'Lists the local changes in a receive-only folder, paged.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: LOCAL_CHANGED },
    errors: noSuchFolder(404),
  },
  'POST /rest/db/override': {
    scope: 'admin',
    summary: 'Overrides remote changes with the local state of a send-only folder. Replies at once.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
  },
  'POST /rest/db/revert': {
    scope: 'admin',
    summary: 'Reverts the local changes in a receive-only folder. Replies at once.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
  },
} as const satisfies Declarations

export const VERSION_ROUTES = {
  'GET /rest/folder/versions': {
    scope: 'monitor',
    summary: 'Lists the archived versions of files in a folder.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: VERSIONS },
    refusals: { 500: 'The folder is missing, paused or keeps no versions.' },
  },
  'POST /rest/folder/versions': {
    scope: 'operate',
    summary: 'Restores archived versions of files, by path and time.',
    query: { folder: FOLDER },
    body: { schema: map(TIME), about: 'The time of the version to restore, by path.' },
    reply: { is: 'json', schema: RESTORE_RESULT },
    // Clients expect status 500 for every error of this route.
    errors: { 'bad-request': { status: 500 } },
    refusals: { 500: 'The folder is missing, paused or keeps no versions, or the body does not match its schema.' },
  },
} as const satisfies Declarations
