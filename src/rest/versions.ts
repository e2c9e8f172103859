import type { FileEntryJson } from './db.ts'

/** Types of /rest/db/localchanged and /rest/folder/versions. Names are those of the wire. */

/** `GET /rest/db/localchanged`. */
export interface LocalChangedJson {
  readonly files: readonly FileEntryJson[]
  readonly page: number
  readonly perpage: number
}

export interface FileVersionJson {
  readonly versionTime: string
  readonly modTime: string
  readonly size: number
}

/** `GET /rest/folder/versions`, by path, newest first. */
export type VersionsJson = Readonly<Record<string, readonly FileVersionJson[]>>

/** The answer to `POST /rest/folder/versions`: a reason for each path that could not be restored. */
export type RestoreResultJson = Readonly<Record<string, string>>
