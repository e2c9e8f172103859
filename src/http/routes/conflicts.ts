import type { ConfigStore } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import { shortIdOf } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type FolderId, type ShortId } from '../../core/ids.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { ConflictsPage } from '../../model/queries/explorer-types.ts'
import type { Hub } from '../../model/model.ts'
import type { ResolvedConflict } from '../../model/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { TWINFOLD_ROUTES } from '../../rest/twinfold-routes.ts'
import type {
  ConflictCountsJson,
  ConflictDiffJson,
  ConflictJson,
  ConflictsJson,
  ResolvedConflictsJson,
} from '../../rest/conflicts.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import { conflictDiffJson, conflictJson } from '../views/conflict.ts'
import { folderOf, pagingOf } from './tree-query.ts'

const BODY_BYTES_MAX = 4 * 1024 * 1024
const MERGED_BYTES_MAX = 2 * 1024 * 1024
const COPIES_MAX = 500
const NOTHING: ConflictsPage = { total: 0, items: [] }

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

export async function conflictCounts({ explorer, config }: ConflictDeps, { request }: Call<never>): Promise<Reply> {
  const explore = await explorer()
  const counts: Record<string, number> = {}
  for (const { id } of config.current.folders) {
    const { total } = await withoutAbsent(explore.conflictRange(id, { from: 0, count: 0 }, request.signal))
    if (total > 0) counts[id] = total
  }
  return json(counts satisfies ConflictCountsJson)
}

/** A folder that was just removed or has not started has none. */
async function withoutAbsent(page: Promise<ConflictsPage>): Promise<ConflictsPage> {
  try {
    return await page
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return NOTHING
    throw error
  }
}

/** The conflicts of one folder, or those of all as one list. */
export async function conflicts(
  { config, explorer }: ConflictDeps,
  { query, request }: Call<'folder' | 'page' | 'perpage'>,
): Promise<Reply> {
  const folder = parseFolderId(query.first('folder'))
  const { page, perPage } = pagingOf(query)
  const explore = await explorer()
  const items: ConflictJson[] = []
  let total = 0
  const first = (page - 1) * perPage
  const add = async (id: FolderId, isOnly: boolean) => {
    const range = { from: Math.max(0, first - total), count: perPage - items.length }
    const reading = explore.conflictRange(id, range, request.signal)
    const found = await (isOnly ? reading : withoutAbsent(reading))
    total += found.total
    for (const item of found.items) items.push(conflictJson(id, item))
  }
  if (folder !== undefined) await add(folder, true)
  else for (const { id } of config.current.folders) await add(id, false)
  return json({ total, page, perpage: perPage, items } satisfies ConflictsJson)
}

export async function conflictDiff(
  { explorer }: Pick<ConflictDeps, 'explorer'>,
  { query }: Call<'folder' | 'name'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const sides = await (await explorer()).conflictSides(folder, query.first('name') ?? '')
  return json(conflictDiffJson(folder, sides) satisfies ConflictDiffJson)
}

export async function resolveConflicts(
  { config, grant, hub, undo }: ResolveDeps,
  { query, request }: Call<'folder'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const { keep, names, mayRemove, shown, merged } = readBody(
    TWINFOLD_ROUTES['POST /rest/twinfold/conflicts'].body,
    parseJson(await request.body(BODY_BYTES_MAX)),
  )
  if (names.length > COPIES_MAX) throw new TwinfoldError('bad-request', `names must be at most ${COPIES_MAX}`)
  checkShown(names, shown)
  const resolved: ResolvedConflict[] = []
  const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
  const failures = await hub.resolveConflicts(folder, names, {
    keep,
    mayRemove,
    onResolved,
    ...(shown !== undefined && { shown: new Map(Object.entries(shown)) }),
    ...(keep === 'merged' && { merged: mergedOf(names, shown, merged) }),
    ...(keep === 'both' && { deviceName: (device: ShortId) => deviceName(config, device) }),
  })
  // Only the program of the user can find what an external versioner has taken.
  const isExternal = config.current.folders.some(
    ({ id, versioning }) => id === folder && versioning.type === 'external',
  )
  return undo.offer({ request, grant }, json(Object.fromEntries(failures) satisfies ResolvedConflictsJson), () =>
    resolved.length === 0 || (isExternal && keep !== 'both') ? undefined : { kind: 'conflicts', folder, resolved },
  )
}

/** What was shown must be known of every copy, or of none. */
function checkShown(names: readonly string[], shown: Readonly<Record<string, unknown>> | undefined): void {
  if (shown === undefined) return
  const missing = names.find((name) => !Object.hasOwn(shown, name))
  if (missing !== undefined)
    throw new TwinfoldError('bad-request', `shown has no hashes of ${JSON.stringify(missing)}; get them from the list`)
}

function mergedOf(
  names: readonly string[],
  shown: Readonly<Record<string, unknown>> | undefined,
  text: string | undefined,
): Uint8Array {
  const refuse = (reason: string) => new TwinfoldError('bad-request', reason)
  if (text === undefined) throw refuse('merged is missing: the text of the merged file')
  if (names.length !== 1) throw refuse('one conflict can be merged at a time: name one copy')
  if (shown === undefined) throw refuse('shown is missing: the hashes of what was merged')
  const data = Buffer.from(text)
  if (data.length > MERGED_BYTES_MAX) throw refuse('merged must have at most 2 MiB')
  return data
}

/** Empty for a device that is not configured. */
function deviceName({ current }: Pick<ConfigStore, 'current'>, device: ShortId): string {
  return current.devices.find(({ deviceID }) => shortIdOf(deviceID) === device)?.name ?? ''
}
