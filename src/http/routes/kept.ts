import { shortIdText } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { KeptFile } from '../../core/records/kept-file.ts'
import type { Hub } from '../../model/model.ts'
import { KEPT_ROUTES, type KeptJson } from '../../rest/kept.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatNs } from '../views/times.ts'
import { folderOf, pagingOf } from './tree-query.ts'

const BODY_BYTES_MAX = 16 * 1024 * 1024
const NAMES_MAX = 10_000

/** Routes of the files that other devices have deleted and that stay here. */
export function keptRoutes(hub: Pick<Hub, 'kept' | 'changeKept'>): readonly Route[] {
  return bind(KEPT_ROUTES, {
    'GET /rest/twinfold/kept': async ({ query }) => {
      const paging = pagingOf(query)
      const { total, bytes, items } = await hub.kept(folderOf(query), paging)
      const body = { total, bytes, page: paging.page, perpage: paging.perPage, items: items.map(keptJson) }
      return json(body satisfies KeptJson)
    },
    'POST /rest/twinfold/kept': async ({ query, request }) => {
      const folder = folderOf(query)
      const { body } = KEPT_ROUTES['POST /rest/twinfold/kept']
      const { action, names } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      if (names !== undefined && names.length > NAMES_MAX)
        throw new TwinfoldError('bad-request', `names must be at most ${NAMES_MAX}`)
      return json(Object.fromEntries(await hub.changeKept(folder, action, names)))
    },
  })
}

function keptJson({ file, deletedS, deletedBy }: KeptFile): KeptJson['items'][number] {
  const { name, sizeBytes, modifiedS, modifiedNs } = file
  const modified = formatNs(modifiedS, modifiedNs)
  return { name, sizeBytes, modified, deleted: formatNs(deletedS, 0), deletedBy: shortIdText(deletedBy) }
}
