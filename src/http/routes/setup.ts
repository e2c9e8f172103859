import type { SetupView } from '../../config/types.ts'
import type { Json } from '../../core/config/config-json.ts'
import type { SetupChange } from '../../core/setup/setup-plan.ts'
import { readBody } from '../../rest/read-body.ts'
import { SETUP_ROUTES, type AppliedSetupJson, type SetupChangeJson } from '../../rest/setup.ts'
import { parseJson } from '../pipeline/json.ts'
import { json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

const BODY_BYTES_MAX = 8 * 1024 * 1024

/** Setting a device up from a file. */
export function setupRoutes(setup: SetupView): readonly Route[] {
  return bind(SETUP_ROUTES, {
    'GET /rest/twinfold/setup': async () => json(await setup.export()),
    'POST /rest/twinfold/setup': async ({ request }) => {
      const { body } = SETUP_ROUTES['POST /rest/twinfold/setup']
      const wanted = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const { check = false, prune = false, resetDrift = false } = wanted
      const plan = await setup.apply(wanted.document as Json, { check, prune, resetDrift })
      return json({
        changes: plan.changes.map(changeJson),
        drift: plan.drift.map(changeJson),
        leftovers: plan.leftovers.map(changeJson),
      } satisfies AppliedSetupJson)
    },
  })
}

function changeJson({ action, object, field, from, to, isSecret }: SetupChange): SetupChangeJson {
  return { action, object, field, from: from ?? null, to: to ?? null, secret: isSecret }
}
