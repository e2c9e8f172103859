import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { DeviceConfig } from '../core/config/config.ts'
import { WEEKDAYS } from '../core/schedule/rule.ts'
import type { NewScheduleRuleJson, ScheduleJson, ScheduleRuleJson } from '../rest/schedule.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { clockText, pauseNote } from './schedule-notes.ts'
import { fieldLines, tableLines } from './table.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json: boolean
}

interface AddOptions extends Json {
  readonly from?: string
  readonly to?: string
  readonly days?: string
  readonly folder?: string
  readonly device?: string
  readonly pause: boolean
  readonly send?: number
  readonly receive?: number
}

export async function addRule(
  context: CliContext,
  client: Client,
  name: string,
  options: AddOptions,
): Promise<CliExit> {
  const rule = await client.call('POST /rest/twinfold/schedule', { body: await wantedRule(client, name, options) })
  if (options.json) context.print(JSON.stringify(rule, undefined, 2))
  else {
    const { days, times, about, what } = ruleTexts(rule, await client.devices())
    context.print(`Rule "${escapeText(name)}": ${escapeText(about)}, ${days}, ${times}: ${what}.`)
  }
  return CLI_EXIT.done
}

/** Folders and devices may be given by their names. */
async function wantedRule(client: Client, name: string, options: AddOptions): Promise<NewScheduleRuleJson> {
  const { from, to, days, pause, send, receive } = options
  if (from === undefined || to === undefined)
    throw new TwinfoldError('usage', 'name the times with --from and --to, such as --from 22:00 --to 06:00')
  const isLimit = send !== undefined || receive !== undefined
  if (pause === isLimit) throw new TwinfoldError('usage', 'use either --pause, or --send or --receive')
  const folder = options.folder === undefined ? undefined : (await findFolder(client, options.folder)).id
  const device = options.device === undefined ? undefined : findDevice(await client.devices(), options.device).deviceID
  return {
    name,
    from,
    to,
    ...(days !== undefined && { days: days.split(',') }),
    ...(folder !== undefined && { folder }),
    ...(device !== undefined && { device }),
    pause,
    ...(send !== undefined && { maxSendKbps: send }),
    ...(receive !== undefined && { maxRecvKbps: receive }),
  }
}

export async function listRules(context: CliContext, client: Client, { json }: Json): Promise<CliExit> {
  const schedule = await client.call('GET /rest/twinfold/schedule')
  if (json) {
    context.print(JSON.stringify(schedule, undefined, 2))
    return CLI_EXIT.done
  }
  const devices = await client.devices()
  if (schedule.rules.length === 0)
    context.print('No rules. Add one with "schedule add NAME --from 22:00 --to 06:00 --pause".')
  else {
    const columns = [
      { title: 'RULE' },
      { title: 'DAYS' },
      { title: 'TIMES' },
      { title: 'ABOUT', shrink: 'end' },
      { title: 'WHAT' },
      { title: 'NOW' },
    ] as const
    const rows = schedule.rules.map((rule) => {
      const { days, times, about, what } = ruleTexts(rule, devices)
      return [rule.name, days, times, about, what, rule.until === null ? '' : `until ${clockText(rule.until)}`]
    })
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  context.print('')
  for (const line of fieldLines(stateFields(schedule))) context.print(line)
  return CLI_EXIT.done
}

function stateFields({ timeZone, rules, pauses, metered, battery, sleep, nextChange }: ScheduleJson) {
  const { problem, state } = sleep
  const fields: (readonly [string, string])[] = pauses.map((pause) => [
    pause.kind === 'folder' ? 'Folder' : 'Device',
    `${pause.id}: ${pauseNote([pause], pause.kind, pause.id) ?? ''}`,
  ])
  if (rules.length > 0) fields.push(['Time zone', timeZone])
  if (nextChange !== null) fields.push(['Next change', clockText(nextChange)])
  fields.push(['Metered connection', CONDITIONS[metered]], ['On battery', CONDITIONS[battery]])
  fields.push(['Kept awake', state === 'failed' ? `no: ${problem ?? ''}` : SLEEP[state]])
  return fields
}

const CONDITIONS = {
  off: 'not checked',
  unknown: 'not known on this machine',
  yes: 'yes',
  no: 'no',
} as const
const SLEEP = { off: 'off', idle: 'nothing is transferred', held: 'yes, while bytes are transferred' } as const

export async function removeRule(context: CliContext, client: Client, name: string, { json }: Json): Promise<CliExit> {
  await client.call('DELETE /rest/twinfold/schedule/:id', { id: name })
  context.print(json ? JSON.stringify({ rule: name }) : `Removed the rule "${escapeText(name)}".`)
  return CLI_EXIT.done
}

interface ConditionOptions extends Json {
  readonly meteredLocalOnly?: boolean
  readonly inhibitSleep?: boolean
}

export async function setConditions(context: CliContext, client: Client, options: ConditionOptions): Promise<CliExit> {
  const { json, ...body } = options
  if (Object.keys(body).length === 0)
    throw new TwinfoldError('usage', 'nothing to change: use --metered-local-only or --keep-awake')
  await client.call('PATCH /rest/twinfold/settings', { body })
  return await listRules(context, client, { json })
}

interface RuleTexts {
  readonly days: string
  readonly times: string
  readonly about: string
  readonly what: string
}

function ruleTexts(rule: ScheduleRuleJson, devices: readonly DeviceConfig[]): RuleTexts {
  const { folder, device, pause, maxSendKbps, maxRecvKbps } = rule
  const name = devices.find(({ deviceID }) => deviceID === device)?.name
  const limits = [
    maxSendKbps === null ? [] : [`send ${rateText(maxSendKbps)}`],
    maxRecvKbps === null ? [] : [`receive ${rateText(maxRecvKbps)}`],
  ].flat()
  return {
    days: rule.days.length === WEEKDAYS.length ? 'every day' : rule.days.join(','),
    times: `${rule.from}-${rule.to}`,
    about: folder !== null ? `folder ${folder}` : device !== null ? `device ${name || device.slice(0, 7)}` : 'all',
    what: pause ? 'pause' : limits.join(', '),
  }
}

function rateText(kbps: number): string {
  return kbps === 0 ? 'without limit' : `${kbps} KiB/s`
}
