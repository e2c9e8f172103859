import type { ConfigStore } from '../../config/types.ts'
import { parseDeviceId } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { ScheduledPause } from '../../core/schedule/effect.ts'
import { readBody } from '../../rest/read-body.ts'
import { SCHEDULE_ROUTES, type ScheduledPauseJson, type ScheduleJson } from '../../rest/schedule.ts'
import type { ScheduleStatus, ScheduleView } from '../../schedule/types.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK, json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'

const BODY_BYTES_MAX = 64 * 1024

export interface ScheduleRouteDeps {
  readonly schedule: ScheduleView
  readonly config: Pick<ConfigStore, 'current'>
}

/** Weekly rules for pauses and rates. */
export function scheduleRoutes({ schedule, config }: ScheduleRouteDeps): readonly Route[] {
  return bind(SCHEDULE_ROUTES, {
    'GET /rest/twinfold/schedule': () => json(scheduleJson(schedule.status())),
    'POST /rest/twinfold/schedule': async ({ request }) => {
      const { body } = SCHEDULE_ROUTES['POST /rest/twinfold/schedule']
      const { days, ...rule } = await schedule.set(readBody(body, parseJson(await request.body(BODY_BYTES_MAX))))
      return json({ ...rule, days: [...days] })
    },
    'DELETE /rest/twinfold/schedule/:id': async ({ id }) => {
      await schedule.remove(id)
      return EMPTY_OK
    },
    'POST /rest/twinfold/schedule/resume': async ({ query }) => {
      const [folder, device] = [query.first('folder') ?? '', query.first('device') ?? '']
      if ((folder === '') === (device === ''))
        throw new TwinfoldError('bad-request', 'give either a folder or a device')
      const { folders } = config.current
      if (folder !== '' && !folders.some(({ id }) => id === folder))
        throw new TwinfoldError('folder-missing', `there is no folder ${folder}`)
      const target =
        folder === ''
          ? ({ kind: 'device', id: parseDeviceId(device) } as const)
          : ({ kind: 'folder', id: folder } as const)
      return json({ resumed: await schedule.resume([target]) })
    },
  })
}

function scheduleJson({ timeZone, rules, pauses, nextMs, metered, battery, sleep }: ScheduleStatus): ScheduleJson {
  return {
    timeZone,
    rules: rules.map(({ rule, untilMs }) => ({ ...rule, days: [...rule.days], until: timeJson(untilMs) })),
    pauses: pauses.map(scheduledPauseJson),
    nextChange: timeJson(nextMs),
    metered,
    battery,
    sleep: { state: sleep.kind, problem: sleep.kind === 'failed' ? sleep.reason : null },
  }
}

export function scheduledPauseJson({ kind, id, rule, untilMs }: ScheduledPause): ScheduledPauseJson {
  return { kind, id, rule: rule ?? null, until: timeJson(untilMs) }
}

function timeJson(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : formatMs(timeMs)
}
