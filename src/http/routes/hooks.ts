import type { ConfigStore } from '../../config/types.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { durationText, parseDuration } from '../../core/duration.ts'
import { HOOK_UNITS, type NewHook } from '../../core/hooks/hook.ts'
import type { HookLogEntry } from '../../core/hooks/occurrence.ts'
import type { HookStatus, HooksView } from '../../hooks/types.ts'
import { HOOK_ROUTES, type HookJson, type HookLogEntryJson, type NewHookJson } from '../../rest/hooks.ts'
import { readBody } from '../../rest/read-body.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK, json } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'

const BODY_BYTES_MAX = 512 * 1024

export interface HookRouteDeps {
  readonly config: Pick<ConfigStore, 'current'>
  readonly hooks: HooksView
}

/** Webhooks and programs that are notified of settled states. */
export function hookRoutes({ config, hooks }: HookRouteDeps): readonly Route[] {
  return bind(HOOK_ROUTES, {
    'GET /rest/twinfold/hooks': () => json(hooks.all().map(hookJson)),
    'POST /rest/twinfold/hooks': async ({ request }) => {
      const { body } = HOOK_ROUTES['POST /rest/twinfold/hooks']
      const wanted = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      checkSubjects(config.current, wanted)
      return json(hookJson(await hooks.add(newHook(wanted))))
    },
    'DELETE /rest/twinfold/hooks/:id': async ({ id }) => {
      await hooks.remove(id)
      return EMPTY_OK
    },
    'POST /rest/twinfold/hooks/test/:id': async ({ id, request }) => json(await hooks.test(id, request.signal)),
    'GET /rest/twinfold/hooks/log/:id': ({ id }) => json(hooks.log(id).map(logJson)),
  })
}

/** A misspelt folder or device would never fire. */
function checkSubjects({ folders, devices }: ConfigStore['current'], { folder, device }: NewHookJson): void {
  if (folder !== undefined && !folders.some(({ id }) => id === folder)) {
    throw new TwinfoldError('bad-request', `there is no folder ${folder}`)
  }
  if (device !== undefined && !devices.some(({ deviceID }) => deviceID === device)) {
    throw new TwinfoldError('bad-request', `there is no device ${device}`)
  }
}

function newHook(wanted: NewHookJson): NewHook {
  const { name, on, folder, device, after } = wanted
  const afterMs = after === undefined ? undefined : parseDuration(after, HOOK_UNITS)
  if (after !== undefined && afterMs === undefined) {
    throw new TwinfoldError('bad-request', 'after must be seconds, minutes, hours, days or weeks, such as 10m')
  }
  return { name, on, folder, device, afterMs, target: targetOf(wanted) }
}

function targetOf({ url, format, secret, allowPrivate, program, args }: NewHookJson): NewHook['target'] {
  if ((url === undefined) === (program === undefined)) {
    throw new TwinfoldError('bad-request', 'a hook has either a url or a program')
  }
  if (program !== undefined) {
    const isMixed = [format, secret, allowPrivate].some((each) => each !== undefined)
    if (isMixed) throw new TwinfoldError('bad-request', 'format, secret and allowPrivate are for a url')
    return { kind: 'program', program, args: args ?? [] }
  }
  if (args !== undefined && args.length > 0) throw new TwinfoldError('bad-request', 'args are for a program')
  return { kind: 'url', url: url ?? '', format: format ?? 'json', secret, allowPrivate: allowPrivate ?? false }
}

function hookJson({ hook, waiting, last }: HookStatus): HookJson {
  const { name, on, folder = null, device = null, afterMs, target, createdMs } = hook
  const isUrl = target.kind === 'url'
  return {
    name,
    on,
    folder,
    device,
    after: durationText(afterMs),
    url: isUrl ? target.url : null,
    format: isUrl ? target.format : null,
    signed: isUrl && target.secret !== undefined,
    allowPrivate: isUrl && target.allowPrivate,
    program: isUrl ? null : target.program,
    args: isUrl ? [] : [...target.args],
    created: formatMs(createdMs),
    waiting,
    last: last === undefined ? null : logJson(last),
  }
}

function logJson({ timeMs, id, text, outcome, detail }: HookLogEntry): HookLogEntryJson {
  return { time: formatMs(timeMs), id, text, outcome, detail }
}
