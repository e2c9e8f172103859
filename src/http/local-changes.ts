import { messageOf, TwinfoldError } from '../core/errors.ts'
import { parseFolderId, type FolderId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Hub } from '../model/types.ts'
import type { LocalChangedJson } from '../rest/versions.ts'
import { noSuchFolder } from './errors.ts'
import { fileEntryJson } from './file-entry.ts'
import type { Query } from './query.ts'
import { EMPTY_OK, json, type Reply } from './reply.ts'
import type { Route } from './route.ts'

export interface LocalChangeRouteDeps {
  readonly hub: Pick<Hub, 'localChanged' | 'override' | 'revert'>
  readonly logger: Logger
}

/** What differs here in folders that only send or only receive, and which side shall count. */
export function localChangeRoutes({ hub, logger }: LocalChangeRouteDeps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/rest/db/localchanged',
      summary: 'Lists what was changed here in a folder that only receives, page by page.',
      errors: noSuchFolder(404),
      handle: ({ query }) => localChanged(hub, query),
    },
    {
      method: 'POST',
      path: '/rest/db/override',
      summary: 'Makes what a folder that only sends has here count everywhere. Answers at once.',
      handle: ({ query }) => begin(query, (folder) => hub.override(folder), logger),
    },
    {
      method: 'POST',
      path: '/rest/db/revert',
      summary: 'Undoes what was changed here in a folder that only receives. Answers at once.',
      handle: ({ query }) => begin(query, (folder) => hub.revert(folder), logger),
    },
  ]
}

async function localChanged(hub: Pick<Hub, 'localChanged'>, query: Query): Promise<Reply> {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  const paging = query.paging()
  const files = await hub.localChanged(folder, paging)
  const body: LocalChangedJson = {
    files: files.map((head) => fileEntryJson(head)),
    page: paging.page,
    perpage: paging.perPage,
  }
  return json(body)
}

/** The work may take hours; nobody waits for it, so what goes wrong can only be told in the log. */
function begin(query: Query, act: (folder: FolderId) => Promise<void>, logger: Logger): Reply {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) return EMPTY_OK
  act(folder).catch((error: unknown) => {
    // Of a folder that is unknown or paused nothing was asked that could be done.
    if (error instanceof TwinfoldError && /^folder-(missing|paused|not-running)$/.test(error.code)) return
    logger.warn(`folder ${folder}: overriding or reverting changes failed: ${messageOf(error)}`)
  })
  return EMPTY_OK
}
