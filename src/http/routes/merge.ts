import { TwinfoldError } from '../../core/errors.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import { MERGE_ROUTES, type MergeJson } from '../../rest/merge.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { folderOf, itemOf } from './tree-query.ts'

export interface MergeRouteDeps {
  explorer(): Promise<FolderExplorer>
}

/** Routes of merges that are offered. */
export function mergeRoutes({ explorer }: MergeRouteDeps): readonly Route[] {
  return bind(MERGE_ROUTES, {
    'GET /rest/twinfold/conflicts/merge': async ({ query, request }) => {
      const name = itemOf('name', query.first('name'))
      if (name === undefined) throw new TwinfoldError('bad-request', 'name is missing')
      const offer = await (await explorer()).mergeOffer(folderOf(query), name, request.signal)
      return json(offer satisfies MergeJson)
    },
  })
}
