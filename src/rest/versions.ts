import { noSuchFolder, type Declarations } from './declaration.ts'
import { FOLDER, PAGE, PAGING } from './parameters.ts'
import { COUNT, TEXT, TIME, list, map, object, ref, type Static } from './schema.ts'

/** What was changed here in folders that only send or only receive, and older versions of files. */

const LOCAL_CHANGED = object({ files: list(ref('FileEntry')), ...PAGE })

export type LocalChangedJson = Static<typeof LOCAL_CHANGED>

const FILE_VERSION = object({ versionTime: TIME, modTime: TIME, size: COUNT })

export type FileVersionJson = Static<typeof FILE_VERSION>

/** By path, the newest first. */
const VERSIONS = map(list(FILE_VERSION))

export type VersionsJson = Static<typeof VERSIONS>

/** What could not be brought back, and why, by path. */
const RESTORE_RESULT = map(TEXT)

export type RestoreResultJson = Static<typeof RESTORE_RESULT>

export const LOCAL_CHANGE_ROUTES = {
  'GET /rest/db/localchanged': {
    summary: 'Lists what was changed here in a folder that only receives, page by page.',
    query: { folder: FOLDER, ...PAGING },
    reply: { is: 'json', schema: LOCAL_CHANGED },
    errors: noSuchFolder(404),
  },
  'POST /rest/db/override': {
    summary: 'Makes what a folder that only sends has here count everywhere. Answers at once.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
  },
  'POST /rest/db/revert': {
    summary: 'Undoes what was changed here in a folder that only receives. Answers at once.',
    query: { folder: FOLDER },
    reply: { is: 'empty' },
  },
} as const satisfies Declarations

export const VERSION_ROUTES = {
  'GET /rest/folder/versions': {
    summary: 'Lists the older versions of files that a folder keeps.',
    query: { folder: FOLDER },
    reply: { is: 'json', schema: VERSIONS },
    refusals: { 500: 'The folder is missing, paused or keeps no versions.' },
  },
  'POST /rest/folder/versions': {
    summary: 'Brings back older versions of files, by path and time.',
    query: { folder: FOLDER },
    body: { schema: map(TIME), about: 'The time of the wanted version, by path.' },
    reply: { is: 'json', schema: RESTORE_RESULT },
    // Clients know this route to answer every refusal with 500.
    errors: { 'bad-request': { status: 500 } },
    refusals: { 500: 'The folder is missing, paused or keeps no versions, or the body is not of this shape.' },
  },
} as const satisfies Declarations
