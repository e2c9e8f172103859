import type { FolderTypeName } from '../../core/config/config.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { PlannedEffect } from '../../model/queries/action-plan.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import { PLAN_ROUTES, type PlanJson } from '../../rest/plan.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { folderOf } from './tree-query.ts'

const BODY_BYTES_MAX = 1024 * 1024
const LINES_MAX = 2_000
const PLAIN = ['resume', 'override', 'revert', 'remove'] as const
const TYPES: readonly FolderTypeName[] = ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted']

/** Routes that tell what an action would do. */
export function planRoutes({ explorer }: { explorer(): Promise<FolderExplorer> }): readonly Route[] {
  return bind(PLAN_ROUTES, {
    'GET /rest/twinfold/plan': async ({ query, request }) => {
      const folder = folderOf(query)
      const action = query.first('action') ?? 'resume'
      return planReply(folder, action, await (await explorer()).plan(folder, actionOf(action), request.signal))
    },
    'POST /rest/twinfold/plan': async ({ query, request }) => {
      const folder = folderOf(query)
      const { body } = PLAN_ROUTES['POST /rest/twinfold/plan']
      const { ignore: lines } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      if (lines.length > LINES_MAX) throw new TwinfoldError('bad-request', `ignore must be at most ${LINES_MAX} lines`)
      const effects = await (await explorer()).plan(folder, { kind: 'ignores', lines }, request.signal)
      return planReply(folder, 'ignores', effects)
    },
  })
}

function actionOf(text: string): Parameters<FolderExplorer['plan']>[1] {
  const plain = PLAIN.find((each) => each === text)
  if (plain !== undefined) return { kind: plain }
  const colon = text.indexOf(':')
  const [kind, value] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
  const type = TYPES.find((each) => each === value)
  if (kind === 'type' && type !== undefined) return { kind, type }
  if (kind === 'share' || kind === 'unshare') return { kind, device: parseDeviceId(value) }
  throw new TwinfoldError(
    'bad-request',
    `action must be one of ${PLAIN.join(', ')}, type:TYPE, share:DEVICE, unshare:DEVICE`,
  )
}

function planReply(folder: string, action: string, effects: readonly PlannedEffect[]): Reply {
  const body: PlanJson = { folder, action, effects: effects.map((each) => ({ ...each, device: each.device ?? '' })) }
  return json(body)
}
