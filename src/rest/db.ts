/** Types of the routes below /rest/db and /rest/folder. Names are those of the wire. */

export type FileTypeName = 'FILE_INFO_TYPE_FILE' | 'FILE_INFO_TYPE_DIRECTORY' | 'FILE_INFO_TYPE_SYMLINK'

/** Platform-specific metadata. Null where nothing is kept. */
export interface PlatformJson {
  readonly Unix: null
  readonly Windows: null
  readonly Linux: null
  readonly Darwin: null
  readonly FreeBSD: null
  readonly NetBSD: null
}

/** One record of an index. All fields empty means that this side has none. */
export interface FileEntryJson {
  /** SHA-256 over the block hashes, base64. */
  readonly blocksHash: string | null
  readonly deleted: boolean
  readonly ignored: boolean
  readonly inodeChange: string
  readonly invalid: boolean
  readonly localFlags: number
  readonly modified: string
  readonly modifiedBy: string
  readonly mustRescan: boolean
  readonly name: string
  readonly noPermissions: boolean
  /** Blocks of the file in `GET /rest/db/file`; 0 in lists, which do not load them. */
  readonly numBlocks: number
  /** Octal with a leading zero. Absent when `noPermissions` is true. */
  readonly permissions?: string
  readonly platform: PlatformJson
  readonly sequence: number
  /** Bytes; 128 for directories and symlinks. */
  readonly size: number
  readonly type: FileTypeName
  /** `short id:counter` of every device that changed it. */
  readonly version: readonly string[]
}

/** `POST /rest/db/scan`. `sub` may be repeated; `next` re-arms the automatic rescan, in seconds. */
export interface ScanQuery {
  readonly folder?: string
  readonly sub?: string | readonly string[]
  readonly next?: number
}

export interface PagingQuery {
  readonly page?: number
  readonly perpage?: number
}

/** `GET /rest/db/need`. */
export interface NeedQuery extends PagingQuery {
  readonly folder: string
}

/** `POST /rest/db/prio`: the paging applies to the answer. */
export interface PrioQuery extends NeedQuery {
  readonly file: string
}

/** The download queue: being fetched, waiting in this order, and needed but in no queue. */
export interface NeedJson {
  readonly page: number
  readonly perpage: number
  readonly progress: readonly FileEntryJson[]
  readonly queued: readonly FileEntryJson[]
  readonly rest: readonly FileEntryJson[]
}

/** `GET /rest/db/status`. */
export interface FolderStatusJson {
  readonly errors: number
  readonly pullErrors: number
  readonly invalid: string
  readonly globalFiles: number
  readonly globalDirectories: number
  readonly globalSymlinks: number
  readonly globalDeleted: number
  readonly globalBytes: number
  readonly globalTotalItems: number
  readonly localFiles: number
  readonly localDirectories: number
  readonly localSymlinks: number
  readonly localDeleted: number
  readonly localBytes: number
  readonly localTotalItems: number
  readonly needFiles: number
  readonly needDirectories: number
  readonly needSymlinks: number
  readonly needDeletes: number
  readonly needBytes: number
  readonly needTotalItems: number
  readonly receiveOnlyChangedFiles: number
  readonly receiveOnlyChangedDirectories: number
  readonly receiveOnlyChangedSymlinks: number
  readonly receiveOnlyChangedDeletes: number
  readonly receiveOnlyChangedBytes: number
  readonly receiveOnlyTotalItems: number
  readonly inSyncFiles: number
  readonly inSyncBytes: number
  readonly state: string
  readonly stateChanged: string
  readonly error: string
  readonly version: number
  readonly sequence: number
  readonly remoteSequence: Readonly<Record<string, number>> | null
  readonly ignorePatterns: boolean
  readonly watchError: string
}

/** `GET /rest/db/browse`: any non-empty `dirsonly` means true. */
export interface BrowseQuery {
  readonly folder: string
  readonly prefix?: string
  readonly levels?: number
  readonly dirsonly?: string
}

export interface TreeEntryJson {
  readonly name: string
  readonly modTime: string
  readonly size: number
  readonly type: FileTypeName
  readonly children?: readonly TreeEntryJson[]
}

/** `GET /rest/db/file`. */
export interface FileQuery {
  readonly folder: string
  readonly file: string
}

export interface FileViewJson {
  readonly availability: readonly { readonly id: string; readonly fromTemporary: boolean }[] | null
  readonly global: FileEntryJson
  readonly local: FileEntryJson
  readonly mtime: { readonly err: null; readonly value: { readonly real: string; readonly virtual: string } }
}

/** `GET /rest/db/ignores` and the answer to its POST. */
export interface IgnoresJson {
  readonly error: string | null
  readonly expanded: readonly string[] | null
  readonly ignore: readonly string[] | null
}

/** Body of `POST /rest/db/ignores`; an empty list removes the file. */
export interface IgnoresBody {
  readonly ignore?: readonly string[] | null
}

/** `GET /rest/folder/errors`. */
export interface FolderErrorsJson {
  readonly errors: readonly { readonly path: string; readonly error: string }[] | null
  readonly folder: string
  readonly page: number
  readonly perpage: number
}

/** `GET /rest/stats/folder`, by folder id. */
export type FolderStatisticsJson = Readonly<
  Record<
    string,
    {
      readonly lastFile: { readonly at: string; readonly filename: string; readonly deleted: boolean }
      readonly lastScan: string
    }
  >
>
