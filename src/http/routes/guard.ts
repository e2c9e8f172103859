import { TwinfoldError } from '../../core/errors.ts'
import type { GuardDecision } from '../../model/types.ts'
import type { Hub } from '../../model/model.ts'
import { GUARD_ROUTES } from '../../rest/guard.ts'
import { EMPTY_OK, json } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import { guardJson } from '../views/guard.ts'
import { folderOf } from './tree-query.ts'

/** Routes of the deletion guard. */
export function guardRoutes(hub: Pick<Hub, 'decideGuard' | 'dismissGuard' | 'guard'>): readonly Route[] {
  const decide = async ({ query }: Call<'folder' | 'side'>, decision: GuardDecision) => {
    const side = query.first('side')
    if (side !== undefined && side !== 'local' && side !== 'remote')
      throw new TwinfoldError('bad-request', 'side is neither local nor remote')
    await hub.decideGuard(folderOf(query), decision, side)
    return EMPTY_OK
  }
  return bind(GUARD_ROUTES, {
    'GET /rest/twinfold/guard': async ({ query }) => json(guardJson(await hub.guard(folderOf(query)))),
    'POST /rest/twinfold/guard/apply': (call) => decide(call, 'apply'),
    'POST /rest/twinfold/guard/refuse': (call) => decide(call, 'refuse'),
    'POST /rest/twinfold/guard/dismiss': async ({ query }) => {
      await hub.dismissGuard(folderOf(query))
      return EMPTY_OK
    },
  })
}
