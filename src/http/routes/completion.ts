import { parseDeviceIdOrEmpty } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../../core/ids.ts'
import type { CompletionView } from '../../model/queries/completion.ts'
import type { CompletionJson, DeviceStatisticsJson, RemoteNeedJson } from '../../rest/completion.ts'
import { COMPLETION_ROUTES } from '../../rest/db-routes.ts'
import type { Clock } from '../../platform/clock.ts'
import { fileEntries } from '../views/file-entry.ts'
import { longListsReply, type WithLongLists } from '../views/long-lists.ts'
import type { Query } from '../pipeline/query.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatNs } from '../views/times.ts'
import type { DeviceStatisticsView } from '../types.ts'

export interface CompletionRouteDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly completion?: CompletionView
  readonly deviceStatistics?: DeviceStatisticsView
}

/** The completion of other devices, and when they were last connected. */
export function completionRoutes({ clock, completion, deviceStatistics }: CompletionRouteDeps): readonly Route[] {
  return bind(COMPLETION_ROUTES, {
    'GET /rest/db/completion': ({ query }) => completionReply(completion, query),
    'GET /rest/db/remoteneed': async ({ query, request }) =>
      longListsReply(await remoteNeed(completion, query), clock, request),
    'GET /rest/stats/device': async () => json(await deviceStatisticsJson(deviceStatistics)),
  })
}

async function completionReply(view: CompletionView | undefined, query: Query<'folder' | 'device'>): Promise<Reply> {
  const device = deviceOf(query)
  const folder = parseFolderId(query.first('folder'))
  const body: CompletionJson = await required(view).completion(folder, device)
  return json(body)
}

async function remoteNeed(
  view: CompletionView | undefined,
  query: Query<'folder' | 'device' | 'page' | 'perpage'>,
): Promise<WithLongLists<RemoteNeedJson>> {
  const paging = query.paging()
  const files = await required(view).remoteNeed(folderOf(query), deviceOf(query), paging)
  return { files: fileEntries(files), page: paging.page, perpage: paging.perPage }
}

export async function deviceStatisticsJson(view: DeviceStatisticsView | undefined): Promise<DeviceStatisticsJson> {
  const entries = [...((await view?.()) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([id, { lastSeenMs, lastConnectionMs }]) => [
      id,
      { lastSeen: formatNs(Math.floor(lastSeenMs / 1_000), 0), lastConnectionDurationS: lastConnectionMs / 1_000 },
    ]),
  )
}

function deviceOf(query: Query<'device'>): DeviceId | undefined {
  const id = parseDeviceIdOrEmpty(query.first('device') ?? '')
  return id === '' ? undefined : id
}

function folderOf(query: Query<'folder'>): FolderId {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  return folder
}

function required(view: CompletionView | undefined): CompletionView {
  if (view === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  return view
}
