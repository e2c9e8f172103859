import { TwinfoldError } from '../../core/errors.ts'
import { isAtOrBelow, isCanonical } from '../../core/paths.ts'
import type { Hub } from '../../model/model.ts'
import type { FileVersion } from '../../model/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { TRASH_ROUTES, type TrashJson } from '../../rest/trash.ts'
import { parseJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatWholeSeconds } from '../views/times.ts'
import { folderOf } from './tree-query.ts'

const BODY_BYTES_MAX = 1024 * 1024
const PER_PAGE = 100
const PATHS_MAX = 1_000

type TrashHub = Pick<Hub, 'versions' | 'versionsUsed' | 'emptyVersions'>

/** Routes of what other devices have deleted or replaced and what is kept for a time. */
export function trashRoutes(hub: TrashHub): readonly Route[] {
  return bind(TRASH_ROUTES, {
    'GET /rest/twinfold/trash': async ({ query }) => json(await listTrash(hub, query)),
    'POST /rest/twinfold/trash/empty': async ({ query, request }) => {
      const { body } = TRASH_ROUTES['POST /rest/twinfold/trash/empty']
      const { paths = [], before } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      if (paths.length > PATHS_MAX) throw new TwinfoldError('bad-request', `paths must be at most ${PATHS_MAX}`)
      // An invalid path matches nothing, and a list that became empty would remove everything.
      const invalid = paths.find((path) => !isCanonical(path))
      if (invalid !== undefined) throw new TwinfoldError('bad-request', `${JSON.stringify(invalid)} is not a path`)
      const beforeMs = before === undefined ? undefined : Date.parse(before)
      return json(await hub.emptyVersions(folderOf(query), { paths, beforeMs }))
    },
  })
}

async function listTrash(hub: TrashHub, query: Query<'folder' | 'path' | 'after' | 'perpage'>): Promise<TrashJson> {
  const folder = folderOf(query)
  const perPage = query.integer('perpage') ?? PER_PAGE
  const used = await hub.versionsUsed(folder)
  if (perPage === 0) return { ...used, next: null, items: [] }
  const [path, after] = [query.first('path'), query.first('after')]
  const all = [...(await hub.versions(folder))]
    .filter(([name]) => path === undefined || path === '' || isAtOrBelow(name, path))
    .flatMap(([name, versions]) => versions.map((version) => ({ name, version })))
    .map((row) => ({ ...row, cursor: cursorOf(row.name, row.version) }))
    .sort((a, b) => (a.cursor < b.cursor ? -1 : 1))
  const rest = after === undefined || after === '' ? all : all.filter(({ cursor }) => cursor > after)
  const page = rest.slice(0, perPage)
  const next = rest.length > page.length ? page.at(-1)!.cursor : null
  const items = page.map(({ name, version: { versionMs, sizeBytes } }) => ({
    name,
    time: formatWholeSeconds(versionMs),
    sizeBytes,
  }))
  return { ...used, next, items }
}

/** Orders by path, then the newest first; no name has two slashes in a row. */
function cursorOf(name: string, { versionMs }: FileVersion): string {
  const seconds = Math.max(0, Math.floor(versionMs / 1_000))
  return `${name}//${String(Number.MAX_SAFE_INTEGER - seconds).padStart(16, '0')}`
}
