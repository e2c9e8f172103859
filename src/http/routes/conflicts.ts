import type { ConfigStore } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { conflictOriginal } from '../../core/paths.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { Hub } from '../../model/model.ts'
import type { ResolvedConflict } from '../../model/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { TWINFOLD_ROUTES } from '../../rest/twinfold-routes.ts'
import type { ResolvedConflictsJson } from '../../rest/conflicts.ts'
import type { ConflictCountsJson, ConflictsJson } from '../../rest/twinfold.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import { headJson } from '../views/item.ts'
import { folderOf, pagingOf } from './tree-query.ts'

const BODY_BYTES_MAX = 4 * 1024 * 1024
const COPIES_MAX = 500

export interface ConflictDeps {
  explorer(): Promise<FolderExplorer>
  readonly config: Pick<ConfigStore, 'current'>
}

interface ResolveDeps {
  readonly hub: Pick<Hub, 'resolveConflicts'>
  readonly config: Pick<ConfigStore, 'current'>
  readonly undo: UndoLog
  readonly grant?: Grant
}

/** A folder that was just removed or has not started has none. */
export async function conflictCounts({ explorer, config }: ConflictDeps, { request }: Call<never>): Promise<Reply> {
  const explore = await explorer()
  const counts: Record<string, number> = {}
  for (const { id } of config.current.folders) {
    try {
      const { total } = await explore.conflicts(id, { page: 1, perPage: 1 }, request.signal)
      if (total > 0) counts[id] = total
    } catch (error) {
      if (!(error instanceof TwinfoldError && error.code.startsWith('folder-'))) throw error
    }
  }
  return json(counts satisfies ConflictCountsJson)
}

export async function conflicts(
  { explorer }: Pick<ConflictDeps, 'explorer'>,
  { query, request }: Call<'folder' | 'page' | 'perpage'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const paging = pagingOf(query)
  const { total, items } = await (await explorer()).conflicts(folder, paging, request.signal)
  const body: ConflictsJson = {
    total,
    page: paging.page,
    perpage: paging.perPage,
    items: items.map(({ name, local, global }) => ({ ...headJson(local ?? global), original: conflictOriginal(name) })),
  }
  return json(body)
}

export async function resolveConflicts(
  { config, grant, hub, undo }: ResolveDeps,
  { query, request }: Call<'folder'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const { keep, names, mayRemove } = readBody(
    TWINFOLD_ROUTES['POST /rest/twinfold/conflicts'].body,
    parseJson(await request.body(BODY_BYTES_MAX)),
  )
  if (names.length > COPIES_MAX) throw new TwinfoldError('bad-request', `names must be at most ${COPIES_MAX}`)
  const resolved: ResolvedConflict[] = []
  const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
  const failures = await hub.resolveConflicts(folder, names, { keep, mayRemove, onResolved })
  // Only the program of the user can find what an external versioner has taken.
  const isExternal = config.current.folders.some(
    ({ id, versioning }) => id === folder && versioning.type === 'external',
  )
  return undo.offer({ request, grant }, json(Object.fromEntries(failures) satisfies ResolvedConflictsJson), () =>
    resolved.length === 0 || isExternal ? undefined : { kind: 'conflicts', folder, resolved },
  )
}
