import {
  COUNT,
  BOOLEAN,
  INTEGER,
  TEXT,
  TIME,
  described,
  list,
  map,
  nullable,
  object,
  ref,
  type Static,
} from './schema.ts'
import { PAGE } from './parameters.ts'

/** Schemas of the routes below /rest/db, /rest/folder and /rest/stats. Names are those of the wire. */

const FILE_TYPE = {
  enum: ['FILE_INFO_TYPE_FILE', 'FILE_INFO_TYPE_DIRECTORY', 'FILE_INFO_TYPE_SYMLINK'],
} as const

export type FileTypeName = Static<typeof FILE_TYPE>

const PLATFORM_PART = nullable(map({ description: 'Owner, group or extended attributes in the form of that system.' }))

/** Platform-specific metadata. Null where none is stored. */
const PLATFORM = object({
  Unix: PLATFORM_PART,
  Windows: PLATFORM_PART,
  Linux: PLATFORM_PART,
  Darwin: PLATFORM_PART,
  FreeBSD: PLATFORM_PART,
  NetBSD: PLATFORM_PART,
})

export type PlatformJson = Static<typeof PLATFORM>

export const FILE_ENTRY = described(
  object(
    {
      blocksHash: described(nullable(TEXT), 'SHA-256 over the hashes of the blocks, base64.'),
      deleted: BOOLEAN,
      ignored: BOOLEAN,
      inodeChange: TIME,
      invalid: BOOLEAN,
      localFlags: COUNT,
      modified: TIME,
      modifiedBy: described(TEXT, 'The short id of the device that changed it last.'),
      mustRescan: BOOLEAN,
      name: TEXT,
      noPermissions: BOOLEAN,
      numBlocks: described(COUNT, 'Blocks of the file in `GET /rest/db/file`; 0 in lists, which do not load them.'),
      permissions: described(TEXT, 'Octal with a leading zero. Absent when `noPermissions` is true.'),
      platform: PLATFORM,
      previousBlocksHash: described(
        nullable(TEXT),
        'The `blocksHash` of the version that its author changed, if announced: that content is no conflict.',
      ),
      sequence: COUNT,
      size: described(COUNT, 'Bytes; 0 for directories and symlinks, as in Syncthing 2.x.'),
      type: FILE_TYPE,
      version: described(list(TEXT), '`short id:counter` of every device that changed it.'),
    },
    ['permissions'],
  ),
  'One record of an index. All fields are empty if there is no record.',
)

export type FileEntryJson = Static<typeof FILE_ENTRY>

/** The download queue: in progress, queued in this order, and needed but not queued. */
export const NEED = object({
  ...PAGE,
  progress: list(ref('FileEntry')),
  queued: list(ref('FileEntry')),
  rest: list(ref('FileEntry')),
})

export type NeedJson = Static<typeof NEED>

export const FOLDER_STATUS = described(
  object({
    errors: COUNT,
    pullErrors: COUNT,
    invalid: TEXT,
    globalFiles: COUNT,
    globalDirectories: COUNT,
    globalSymlinks: COUNT,
    globalDeleted: COUNT,
    globalBytes: COUNT,
    globalTotalItems: COUNT,
    localFiles: COUNT,
    localDirectories: COUNT,
    localSymlinks: COUNT,
    localDeleted: COUNT,
    localBytes: COUNT,
    localTotalItems: COUNT,
    needFiles: COUNT,
    needDirectories: COUNT,
    needSymlinks: COUNT,
    needDeletes: COUNT,
    needBytes: COUNT,
    needTotalItems: COUNT,
    receiveOnlyChangedFiles: COUNT,
    receiveOnlyChangedDirectories: COUNT,
    receiveOnlyChangedSymlinks: COUNT,
    receiveOnlyChangedDeletes: COUNT,
    receiveOnlyChangedBytes: COUNT,
    receiveOnlyTotalItems: COUNT,
    inSyncFiles: COUNT,
    inSyncBytes: COUNT,
    state: described(TEXT, 'Idle, scanning, syncing, error and the like; empty for a paused folder.'),
    stateChanged: TIME,
    error: TEXT,
    version: COUNT,
    sequence: COUNT,
    remoteSequence: nullable(map(COUNT)),
    ignorePatterns: BOOLEAN,
    watchError: TEXT,
  }),
  'The state of a folder and the counts of its items.',
)

export type FolderStatusJson = Static<typeof FOLDER_STATUS>

export const TREE_ENTRY = described(
  object({ name: TEXT, modTime: TIME, size: COUNT, type: FILE_TYPE, children: list(ref('TreeEntry')) }, ['children']),
  'One entry of a tree; `children` is absent when there are none.',
)

/** Written out: `Static` cannot derive a type from a recursive schema. */
export interface TreeEntryJson {
  readonly name: string
  readonly modTime: string
  readonly size: number
  readonly type: FileTypeName
  readonly children?: readonly TreeEntryJson[]
}

export const FILE_VIEW = object({
  availability: nullable(list(object({ id: TEXT, fromTemporary: BOOLEAN }))),
  global: ref('FileEntry'),
  local: ref('FileEntry'),
  mtime: object({ err: { type: 'null' }, value: object({ real: TIME, virtual: TIME }) }),
})

export type FileViewJson = Static<typeof FILE_VIEW>

export const IGNORES = object({
  error: nullable(TEXT),
  expanded: nullable(list(TEXT)),
  ignore: nullable(list(TEXT)),
})

export type IgnoresJson = Static<typeof IGNORES>

const LINE = { type: 'string', pattern: '^[^\\n\\r\\0]*$', description: 'one line of text' } as const

export const IGNORES_BODY = object({ ignore: list(LINE) }, ['ignore'])

export const FOLDER_ERRORS = object({
  errors: nullable(list(object({ path: TEXT, error: TEXT }))),
  folder: TEXT,
  ...PAGE,
})

export type FolderErrorsJson = Static<typeof FOLDER_ERRORS>

export const FOLDER_STATISTICS = map(
  object({ lastFile: object({ at: TIME, filename: TEXT, deleted: BOOLEAN }), lastScan: TIME }),
)

export type FolderStatisticsJson = Static<typeof FOLDER_STATISTICS>

export const LEVELS = {
  schema: INTEGER,
  about: 'The depth; 0 is the top level only, absent or negative is unlimited.',
} as const
