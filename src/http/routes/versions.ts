import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type FolderId } from '../../core/ids.ts'
import type { Hub } from '../../model/model.ts'
import type { FileVersion } from '../../model/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { VERSION_ROUTES, type FileVersionJson, type RestoreResultJson, type VersionsJson } from '../../rest/versions.ts'
import { parseJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import { formatWholeSeconds } from '../views/times.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024

type VersionKeeper = Pick<Hub, 'versions' | 'restoreVersions'>

/** Archived versions of files: list and restore. */
export function versionRoutes(hub: VersionKeeper): readonly Route[] {
  return bind(VERSION_ROUTES, {
    'GET /rest/folder/versions': ({ query }) => versions(hub, query),
    'POST /rest/folder/versions': (call) => restore(hub, call),
  })
}

async function versions(hub: VersionKeeper, query: Query<'folder'>): Promise<Reply> {
  const found = await hub.versions(folderOf(query))
  const body: VersionsJson = Object.fromEntries(sorted(found).map(([path, kept]) => [path, kept.map(versionJson)]))
  return json(body)
}

function versionJson({ versionMs, modifiedMs, sizeBytes }: FileVersion): FileVersionJson {
  return {
    versionTime: formatWholeSeconds(versionMs),
    modTime: formatWholeSeconds(modifiedMs),
    size: sizeBytes,
  }
}

async function restore(hub: VersionKeeper, { query, request }: Call<'folder'>): Promise<Reply> {
  const folder = folderOf(query)
  // The whole body is parsed before anything is restored: an invalid time changes nothing.
  const times = readBody(
    VERSION_ROUTES['POST /rest/folder/versions'].body,
    parseJson(await request.body(BODY_BYTES_MAX)),
  )
  const wanted = new Map(
    Object.entries(times).map(([path, time]) => [path, Math.floor(Date.parse(time) / 1_000) * 1_000]),
  )
  const failures: RestoreResultJson = Object.fromEntries(sorted(await hub.restoreVersions(folder, wanted)))
  return json(failures)
}

function folderOf(query: Query<'folder'>): FolderId {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  return folder
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}
