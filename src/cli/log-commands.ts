import { TwinfoldError } from '../core/errors.ts'
import { FACILITY_NAMES, parseFacility, type Facility } from '../core/facilities.ts'
import type { EventJson, EventType } from '../rest/event-data.ts'
import type { LogLineJson } from '../rest/system.ts'
import type { Client, EventQuery } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { nearestTexts } from '../core/formats/nearest.ts'
import { CLI_EXIT, suggestion, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, fitText } from './text.ts'

const FOLLOW_INTERVAL_MS = 500

export interface DebugOptions {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  readonly json?: boolean
}

/** Switches debug facilities and shows all of them. Names are checked here: the daemon ignores unknown ones. */
export async function debug(context: CliContext, client: Client, options: DebugOptions): Promise<CliExit> {
  const enable = (options.enable ?? []).map(knownFacility)
  const disable = (options.disable ?? []).map(knownFacility)
  if (enable.length > 0 || disable.length > 0) await client.setDebugFacilities({ enable, disable })
  const reply = await client.debugFacilities()
  if (options.json) {
    context.print(JSON.stringify(reply, undefined, 2))
    return CLI_EXIT.done
  }
  const rows = Object.entries(reply.facilities).map(([name, meaning]) => [
    name,
    reply.enabled.includes(name) ? 'on' : 'off',
    meaning,
  ])
  const columns = [{ title: 'FACILITY' }, { title: 'DEBUG' }, { title: 'WHAT IT LOGS', shrink: 'end' }] as const
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  return CLI_EXIT.done
}

function knownFacility(text: string): Facility {
  const facility = parseFacility(text)
  if (facility !== undefined) return facility
  const near = suggestion(nearestTexts(text, FACILITY_NAMES, 1))
  throw new TwinfoldError('refused', `there is no facility "${text}"; known: ${FACILITY_NAMES.join(', ')}${near}`)
}

export interface EventsOptions {
  readonly since?: number
  readonly types?: readonly string[]
  readonly limit?: number
  readonly follow?: boolean
  readonly json?: boolean
}

/** Prints events, one per line; with `--follow` also new ones, until interrupted. */
export async function events(context: CliContext, client: Client, options: EventsOptions): Promise<CliExit> {
  const { follow, json, types, ...range } = options
  const query: EventQuery = { ...range, ...(types !== undefined && { types: await checkTypes(types) }) }
  const show = (event: EventJson) => context.print(json ? JSON.stringify(event) : eventLine(event, context.columns))
  if (!follow) {
    for (const event of await client.eventsSince({ ...query, timeoutS: 0 }, context.signal)) show(event)
    return CLI_EXIT.done
  }
  return untilInterrupted(context, async () => {
    for await (const event of client.events(query, context.signal)) show(event)
  })
}

/** The daemon ignores unknown names and then never replies with an event. */
async function checkTypes(names: readonly string[]): Promise<readonly EventType[]> {
  const { EVENT_DATA } = await import('../rest/event-data.ts') // only needed here, and large
  const isType = (name: string): name is EventType => Object.hasOwn(EVENT_DATA, name)
  if (names.every(isType)) return names
  const unknown = names.find((name) => !isType(name))!
  const near = suggestion(nearestTexts(unknown, Object.keys(EVENT_DATA), 1))
  throw new TwinfoldError('usage', `there is no event type "${unknown}"${near}`)
}

/** Holds the whole configuration: too much for a line. */
const CONFIG_EVENT = 'ConfigSaved'

function eventLine(event: EventJson, columns: number): string {
  const silent = event.data === null || event.data === undefined || event.type === CONFIG_EVENT
  const data = silent ? '' : escapeText(JSON.stringify(event.data))
  return fitText(`${timeText(event.time)}  ${event.id}  ${escapeText(event.type)}  ${data}`.trimEnd(), columns)
}

export interface LogsOptions {
  readonly since?: string
  readonly follow?: boolean
  readonly json?: boolean
}

/** Prints the buffered log lines; with `--follow` also new ones, until interrupted. */
export async function logs(context: CliContext, client: Client, options: LogsOptions): Promise<CliExit> {
  let since = options.since
  const showNew = async () => {
    for (const message of await client.log(since)) {
      context.print(options.json ? JSON.stringify(message) : logLine(message))
      since = message.when
    }
  }
  await showNew()
  if (!options.follow) return CLI_EXIT.done
  return untilInterrupted(context, async () => {
    while (!context.signal.aborted) {
      await context.sleep(FOLLOW_INTERVAL_MS, context.signal)
      await showNew()
    }
  })
}

/** As in the log itself. */
const LEVELS = ['DBG', 'VRB', 'INF', 'WRN', 'ERR']

export function logLine(message: LogLineJson): string {
  const level = (typeof message.level === 'number' ? LEVELS[message.level] : message.level) ?? String(message.level)
  return `${timeText(message.when)} ${escapeText(level)} ${escapeText(message.message)}`
}

/** Date and time to the second, in the daemon's time zone. */
function timeText(time: string): string {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(time) ?? []
  return date === undefined ? escapeText(time) : `${date} ${clock}`
}

/** An interrupt is the normal end of `--follow`: it is success. */
async function untilInterrupted(context: CliContext, work: () => Promise<void>): Promise<CliExit> {
  try {
    await work()
  } catch (error) {
    if (!context.signal.aborted) throw error
  }
  return CLI_EXIT.done
}

export interface SupportOptions {
  readonly output?: string
  readonly json?: boolean
}

/** Saves the support bundle. The daemon serves it only while debugging is enabled; the error message states this. */
export async function support(context: CliContext, client: Client, options: SupportOptions): Promise<CliExit> {
  const { name, bytes } = await client.download('/rest/debug/support', context.signal).catch(explainDebugging)
  const path = context.absolutePath(options.output ?? name)
  await context.writeNew(path, bytes)
  if (options.json) context.print(JSON.stringify({ path, sizeBytes: bytes.length }, undefined, 2))
  else context.print(`Saved ${escapeText(path)}. It holds no keys or passwords, but names of folders and devices.`)
  return CLI_EXIT.done
}

function explainDebugging(error: unknown): never {
  // A refused request has only texts.
  if (!(error instanceof ClientError) || error.status !== 403 || !error.text.includes('Debugging')) throw error
  const remedy = 'switch it on with "cli config gui debugging set true", and off again afterwards'
  throw new TwinfoldError('refused', `the daemon serves this only while debugging is on; ${remedy}`, {
    cause: error,
  })
}
