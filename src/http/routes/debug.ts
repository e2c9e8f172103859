import { TwinfoldError } from '../../core/errors.ts'
import { FACILITIES, FACILITY_NAMES, parseFacility } from '../../core/facilities.ts'
import type { LogControl, LogLevel } from '../../events/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { DEBUG_ROUTES } from '../../rest/system-routes.ts'
import type { LogLevelsJson } from '../../rest/system.ts'
import { formatJson, parseJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, json, JSON_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'

const BODY_BYTES_MAX = 64 * 1024

/** The switches of the debug log: one table of levels, shown as on and off (1.x) and as levels (2.x). */
export function debugRoutes(log: LogControl): readonly Route[] {
  // Cached: the list is requested often and changes seldom.
  let shown = { enabled: -1, reply: EMPTY_OK }
  const list = (): Reply => {
    let enabled = 0
    for (let i = 0; i < FACILITY_NAMES.length; i++) if (log.level(FACILITY_NAMES[i]!) === 'DEBUG') enabled |= 1 << i
    if (enabled !== shown.enabled) {
      const names = FACILITY_NAMES.filter((_name, i) => (enabled & (1 << i)) !== 0)
      shown = {
        enabled,
        reply: {
          status: 200,
          contentType: JSON_TYPE,
          body: formatJson({ enabled: names.toSorted(), facilities: FACILITIES }),
        },
      }
    }
    return shown.reply
  }
  return bind(DEBUG_ROUTES, {
    'GET /rest/system/debug': list,
    'POST /rest/system/debug': ({ query }) => switchFacilities(log, query),
    'GET /rest/system/loglevels': () => json(levels(log)),
    'POST /rest/system/loglevels': (call) => setLevels(log, call),
  })
}

/** On first, then off: a name in both is off. Unknown names are ignored. */
function switchFacilities(log: LogControl, query: Query<'enable' | 'disable'>): Reply {
  for (const facility of facilitiesIn(query.first('enable'))) log.setLevel(facility, 'DEBUG')
  for (const facility of facilitiesIn(query.first('disable'))) {
    if (log.level(facility) === 'DEBUG') log.setLevel(facility, 'INFO')
  }
  return { status: 200, contentType: JSON_TYPE }
}

function facilitiesIn(names: string | undefined) {
  return (names ?? '')
    .split(',')
    .map(parseFacility)
    .filter((facility) => facility !== undefined)
}

function levels(log: LogControl): LogLevelsJson {
  return { packages: FACILITIES, levels: Object.fromEntries(FACILITY_NAMES.map((name) => [name, log.level(name)])) }
}

/** All levels are read before the first is set: an invalid one changes nothing. */
async function setLevels(log: LogControl, { request }: Call): Promise<Reply> {
  const body = readBody(DEBUG_ROUTES['POST /rest/system/loglevels'].body, parseJson(await request.body(BODY_BYTES_MAX)))
  const wanted = Object.entries(body).map(([name, level]) => [parseFacility(name), levelOf(level)] as const)
  for (const [facility, level] of wanted) if (facility !== undefined) log.setLevel(facility, level)
  return EMPTY_OK
}

const RANKS: Readonly<Record<string, number>> = { DEBUG: -4, INFO: 0, WARN: 4, ERROR: 8 }

/** `WARN`, `info`, `INFO+2`: an offset is rounded down to a level. */
function levelOf(text: string): LogLevel {
  const match = /^(DEBUG|INFO|WARN|ERROR)([+-]\d{1,3})?$/i.exec(text)
  const base = match === null ? undefined : RANKS[match[1]!.toUpperCase()]
  if (base === undefined) throw new TwinfoldError('bad-request', 'a level must be one of DEBUG, INFO, WARN, ERROR')
  const rank = base + Number(match?.[2] ?? 0)
  return rank < 0 ? 'DEBUG' : rank < 4 ? 'INFO' : rank < 8 ? 'WARN' : 'ERROR'
}
