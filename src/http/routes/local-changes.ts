import { messageOf, TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type FolderId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import type { Hub } from '../../model/model.ts'
import { LOCAL_CHANGE_ROUTES, type LocalChangedJson } from '../../rest/versions.ts'
import type { Clock } from '../../platform/clock.ts'
import { fileEntries } from '../views/file-entry.ts'
import { longListsReply, type WithLongLists } from '../views/long-lists.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'

export interface LocalChangeRouteDeps {
  readonly hub: Pick<Hub, 'localChanged' | 'override' | 'revert'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** Local changes in send-only and receive-only folders: list, override, revert. */
export function localChangeRoutes(deps: LocalChangeRouteDeps): readonly Route[] {
  const { hub, logger } = deps
  return bind(LOCAL_CHANGE_ROUTES, {
    'GET /rest/db/localchanged': (call) => localChanged(deps, call),
    'POST /rest/db/override': ({ query }) => begin(query, (folder) => hub.override(folder), logger),
    'POST /rest/db/revert': ({ query }) => begin(query, (folder) => hub.revert(folder), logger),
  })
}

async function localChanged(
  { hub, clock }: Pick<LocalChangeRouteDeps, 'hub' | 'clock'>,
  { query, request }: Call<'folder' | 'page' | 'perpage'>,
): Promise<Reply> {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  const paging = query.paging()
  const files = await hub.localChanged(folder, paging, request.signal)
  const reply: WithLongLists<LocalChangedJson> = {
    files: fileEntries(files),
    page: paging.page,
    perpage: paging.perPage,
  }
  return longListsReply(reply, clock, request)
}

/** The work may take hours and the reply does not wait for it, so errors are only logged. */
function begin(query: Query<'folder'>, act: (folder: FolderId) => Promise<void>, logger: Logger): Reply {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) return EMPTY_OK
  act(folder).catch((error: unknown) => {
    // An unknown or paused folder has nothing to override or revert.
    if (error instanceof TwinfoldError && /^folder-(missing|paused|not-running)$/.test(error.code)) return
    logger.warn(`folder ${folder}: overriding or reverting changes failed: ${messageOf(error)}`)
  })
  return EMPTY_OK
}
