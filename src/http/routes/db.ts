import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type FolderId } from '../../core/ids.ts'
import { scanScope } from '../../core/paths.ts'
import type { Hub } from '../../model/model.ts'
import type { FolderStatus, NeedPage } from '../../model/types.ts'
import { DB_ROUTES } from '../../rest/db-routes.ts'
import type { FileViewJson, FolderErrorsJson, FolderStatisticsJson, IgnoresJson, NeedJson } from '../../rest/db.ts'
import { readBody } from '../../rest/read-body.ts'
import { diskTimeJson, fileEntries, fileInfoJson } from '../views/file-entry.ts'
import { longList, longListsReply, type WithLongLists } from '../views/long-lists.ts'
import { folderStatusJson } from '../views/folder-status.ts'
import { formatJson, parseJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, json, jsonPieces, TEXT_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import type { RestDeps } from '../types.ts'
import { formatWholeSeconds } from '../views/times.ts'
import { treeJson } from '../views/tree.ts'

const NEXT_S_MAX = 366 * 24 * 3_600
const IGNORES_BYTES_MAX = 8 * 1024 * 1024

type NeedCall = Call<'folder' | 'page' | 'perpage'>
type DbRouteDeps = Pick<RestDeps, 'hub' | 'clock' | 'grant'> & { readonly undo: UndoLog }

/** Folders, their files and their queues. */
export function dbRoutes(deps: DbRouteDeps): readonly Route[] {
  const { hub, clock } = deps
  const status = statusReplies(hub)
  const need = needReplies(deps)
  const inPieces = (reply: Parameters<typeof longListsReply>[0], { request }: Call): Reply =>
    longListsReply(reply, clock, request)
  return bind(DB_ROUTES, {
    'POST /rest/db/scan': ({ query }) => scan(hub, query),
    'POST /rest/db/prio': (call) => {
      const wanted = call.query.first('file')
      if (wanted !== undefined && wanted !== '') hub.bringToFront(folderOf(call.query), wanted)
      return need(call)
    },
    'GET /rest/db/need': need,
    'GET /rest/db/status': ({ query }) => status(folderOf(query)),
    'GET /rest/db/browse': async ({ query, request }) =>
      jsonPieces(treeJson(await browse(hub, query)), clock, request.signal),
    'GET /rest/db/file': ({ query }) => file(hub, query),
    'GET /rest/db/ignores': ({ query }) => ignores(hub, query),
    'POST /rest/db/ignores': (call) => setIgnores(deps, call),
    'GET /rest/folder/errors': async (call) => inPieces(await folderErrors(hub, call.query), call),
    'GET /rest/folder/pullerrors': async (call) => inPieces(await folderErrors(hub, call.query), call),
    'GET /rest/stats/folder': async () => json(await folderStatisticsJson(hub)),
  })
}

function folderOf(query: Query<'folder'>): FolderId {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  return folder
}

/**
 * The whole request is validated before anything is scanned. A disconnect of the client does not stop a scan: the
 * index would be incomplete, and the next client would scan again.
 */
async function scan(hub: Hub, query: Query<'folder' | 'sub' | 'next'>): Promise<Reply> {
  const nextS = query.integer('next')
  const nextMs = nextS === undefined ? undefined : Math.min(nextS, NEXT_S_MAX) * 1_000
  const scope = scanScope(query.all('sub'))
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) return await scanAll(hub)
  await hub.scan(folder, scope, nextMs)
  return EMPTY_OK
}

async function scanAll(hub: Hub): Promise<Reply> {
  const failures = await hub.scanAll()
  if (failures.size === 0) return EMPTY_OK
  const reasons = Object.fromEntries([...failures].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { status: 500, contentType: TEXT_TYPE, body: `Error scanning folders\n${formatJson(reasons)}` }
}

/** Caches the reply of an unchanged status, because pages poll it. */
function statusReplies(hub: Hub): (folder: FolderId) => Reply | Promise<Reply> {
  const replies = new WeakMap<FolderStatus, Reply>()
  return (folder) => {
    const status = hub.statusNow(folder)
    if (status === undefined) return hub.status(folder).then((current) => json(folderStatusJson(current)))
    const cached = replies.get(status)
    if (cached !== undefined) return cached
    const reply = json(folderStatusJson(status))
    replies.set(status, reply)
    return reply
  }
}

/** Caches the reply of an empty page, because pages poll it and most get it. */
function needReplies({ hub, clock }: DbRouteDeps): (call: NeedCall) => Reply | Promise<Reply> {
  let empty: { readonly page: number; readonly perPage: number; readonly reply: Reply } | undefined
  return ({ query, request }) => {
    const folder = folderOf(query)
    const { page, perPage } = query.paging()
    const nothing = hub.needNow(folder)
    if (nothing === undefined) {
      const found = hub.need(folder, { page, perPage }, request.signal)
      return found.then((needed) => longListsReply(needJson(needed, page, perPage), clock, request))
    }
    if (empty?.page !== page || empty.perPage !== perPage) {
      empty = { page, perPage, reply: longListsReply(needJson(nothing, page, perPage), clock, request) }
    }
    return empty.reply
  }
}

function needJson({ progress, queued, rest }: NeedPage, page: number, perpage: number): WithLongLists<NeedJson> {
  return {
    page,
    perpage,
    progress: fileEntries(progress),
    queued: fileEntries(queued),
    rest: fileEntries(rest),
  }
}

function browse(hub: Hub, query: Query<'folder' | 'prefix' | 'levels' | 'dirsonly'>): ReturnType<Hub['browse']> {
  const levels = query.integer('levels')
  return hub.browse(folderOf(query), {
    prefix: (query.first('prefix') ?? '').replace(/\/$/, ''),
    levels: levels === undefined || levels < 0 ? undefined : levels,
    directoriesOnly: (query.first('dirsonly') ?? '') !== '',
  })
}

async function file(hub: Hub, query: Query<'folder' | 'file'>): Promise<Reply> {
  const view = await hub.file(folderOf(query), query.first('file') ?? '')
  const body: FileViewJson = {
    availability: view.availability.length === 0 ? null : view.availability.map((id) => ({ id, fromTemporary: false })),
    global: fileInfoJson(view.global),
    local: fileInfoJson(view.local),
    mtime: diskTimeJson(view.local),
  }
  return json(body)
}

async function ignores(hub: Hub, query: Query<'folder'>): Promise<Reply> {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) return json(ignoresJson({ ignore: null, expanded: null, error: 'folder  does not exist' }))
  return json(ignoresJson(await hub.ignores(folder)))
}

async function setIgnores({ grant, hub, undo }: DbRouteDeps, { query, request }: Call<'folder'>): Promise<Reply> {
  const { ignore = [] } = readBody(
    DB_ROUTES['POST /rest/db/ignores'].body,
    parseJson(await request.body(IGNORES_BYTES_MAX)),
  )
  const folder = folderOf(query)
  const { ignore: before } = await hub.ignores(folder)
  const view = await hub.setIgnores(folder, ignore)
  return undo.offer({ request, grant }, json(ignoresJson(view)), () => ({
    kind: 'ignores',
    folder,
    before: before ?? [],
    after: view.ignore ?? [],
  }))
}

function ignoresJson(view: IgnoresJson): IgnoresJson {
  return { error: view.error, expanded: view.expanded, ignore: view.ignore }
}

async function folderErrors(
  hub: Hub,
  query: Query<'folder' | 'page' | 'perpage'>,
): Promise<WithLongLists<FolderErrorsJson>> {
  const folder = folderOf(query)
  const paging = query.paging()
  const errors = await hub.folderErrors(folder, paging)
  return {
    errors: errors.length === 0 ? null : longList(errors, ({ path, error }) => ({ path, error })),
    folder,
    page: paging.page,
    perpage: paging.perPage,
  }
}

export async function folderStatisticsJson(hub: Pick<Hub, 'folderStatistics'>): Promise<FolderStatisticsJson> {
  const entries = [...(await hub.folderStatistics())].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([id, { lastFile, lastScanMs }]) => [
      id,
      {
        lastFile: { at: formatWholeSeconds(lastFile.atMs), filename: lastFile.filename, deleted: lastFile.deleted },
        lastScan: formatWholeSeconds(lastScanMs),
      },
    ]),
  )
}
