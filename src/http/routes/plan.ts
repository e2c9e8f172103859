import type { FolderTypeName } from '../../core/config/config.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { Effect } from '../../core/records/effect.ts'
import type { PlannedEffect } from '../../model/queries/action-plan.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { RewindGroup, RewindPreview, RewindView } from '../../model/rewind/types.ts'
import { PLAN_ROUTES, type PlanJson } from '../../rest/plan.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { folderOf, timeOf } from './tree-query.ts'

const BODY_BYTES_MAX = 1024 * 1024
const LINES_MAX = 2_000
const PLAIN = ['resume', 'override', 'revert', 'remove'] as const
const REWIND = 'rewind:'
const EXAMPLES_MAX = 10
const TYPES: readonly FolderTypeName[] = ['sendreceive', 'sendonly', 'receiveonly', 'receiveencrypted']

export interface PlanRouteDeps {
  explorer(): Promise<FolderExplorer>
  readonly rewinder: Pick<RewindView, 'preview'>
}

/** Routes that tell what an action would do. */
export function planRoutes({ explorer, rewinder }: PlanRouteDeps): readonly Route[] {
  return bind(PLAN_ROUTES, {
    'GET /rest/twinfold/plan': async ({ query, request }) => {
      const folder = folderOf(query)
      const action = query.first('action') ?? 'resume'
      if (action.startsWith(REWIND)) {
        const momentMs = timeOf('the time of the rewind', action.slice(REWIND.length))
        if (momentMs === undefined) throw new TwinfoldError('bad-request', `${REWIND}TIME needs a time`)
        const wanted = { folder, path: '', momentMs, mode: 'in-place' } as const
        return planReply(folder, action, rewindEffects(await rewinder.preview(wanted, request.signal)))
      }
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

function rewindEffects({ restorable, gone, kept, removed, blocked }: RewindPreview): readonly PlannedEffect[] {
  const part = (effect: Effect, ...groups: readonly RewindGroup[]): readonly PlannedEffect[] => {
    const items = groups.reduce((sum, group) => sum + group.items, 0)
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0)
    const examples = groups.flatMap(({ names }) => names).slice(0, EXAMPLES_MAX)
    return items === 0 ? [] : [{ effect, device: undefined, items, bytes, examples }]
  }
  return [
    ...part('restore', restorable),
    ...part('delete', removed),
    ...part('keep', kept, blocked),
    ...part('lose', gone),
  ]
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
    `action must be one of ${PLAIN.join(', ')}, type:TYPE, share:DEVICE, unshare:DEVICE, rewind:TIME`,
  )
}

function planReply(folder: string, action: string, effects: readonly PlannedEffect[]): Reply {
  const body: PlanJson = { folder, action, effects: effects.map((each) => ({ ...each, device: each.device ?? '' })) }
  return json(body)
}
