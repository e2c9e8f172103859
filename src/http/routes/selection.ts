import { TwinfoldError } from '../../core/errors.ts'
import type { Hub } from '../../model/model.ts'
import type { PathChoice } from '../../model/types.ts'
import { readBody } from '../../rest/read-body.ts'
import type { SelectedJson, SelectionJson } from '../../rest/selection.ts'
import { TWINFOLD_ROUTES } from '../../rest/twinfold-routes.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import { folderOf } from './tree-query.ts'

const BODY_BYTES_MAX = 4 * 1024 * 1024
const PATHS_MAX = 10_000

type SelectionHub = Pick<Hub, 'previewSelection' | 'select' | 'selection'>

export async function selection(hub: SelectionHub, { query }: Call<'folder'>): Promise<Reply> {
  const { entries, isRemoving, error } = await hub.selection(folderOf(query))
  return json({ entries, removing: isRemoving, error: error ?? null } satisfies SelectionJson)
}

/** What is counted is the state before the change. */
export async function select(hub: SelectionHub, { query, request }: Call<'folder'>): Promise<Reply> {
  const folder = folderOf(query)
  const body = readBody(
    TWINFOLD_ROUTES['POST /rest/twinfold/selection'].body,
    parseJson(await request.body(BODY_BYTES_MAX)),
  )
  const { keep = [], drop = [], preview = false, force = false } = body
  if (keep.length + drop.length > PATHS_MAX) throw new TwinfoldError('bad-request', `at most ${PATHS_MAX} paths`)
  if (keep.length + drop.length === 0) throw new TwinfoldError('bad-request', 'keep or drop must name a path')
  const choices: PathChoice[] = [
    ...drop.map((path) => ({ path, state: 'dropped' as const })),
    ...keep.map((path) => ({ path, state: 'kept' as const })),
  ]
  const { effect, overruled } = await hub.previewSelection(folder, choices, request.signal)
  const left = preview ? new Map<string, string>() : await hub.select(folder, choices, force, request.signal)
  const reply: SelectedJson = {
    preview,
    freed: effect.freed,
    fetched: effect.fetched,
    onlyHere: effect.onlyHere,
    holders: Object.fromEntries(effect.holders),
    overruled,
    left: Object.fromEntries(left),
    truncated: effect.truncated,
  }
  return json(reply)
}
