import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { METERED_TEXT, pauseText } from '../core/records/pause-reasons.ts'
import type { ScheduledPauseJson, ScheduleJson } from '../rest/schedule.ts'

export const METERED_REASON = `${METERED_TEXT}; "schedule set" changes that`

/** What rules and conditions pause now. */
export async function scheduledPauses(client: Client): Promise<readonly ScheduledPauseJson[]> {
  return (await scheduleOf(client)).pauses
}

/** A daemon of an earlier version has no schedule. */
export async function scheduleOf(client: Client): Promise<Pick<ScheduleJson, 'pauses' | 'metered'>> {
  try {
    return await client.call('GET /rest/twinfold/schedule')
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return { pauses: [], metered: 'off' }
    throw error
  }
}

/** What rules pause is resumed until they end. A daemon of an earlier version has no rules. */
export async function resumeScheduled(
  client: Client,
  target: { readonly folder: string } | { readonly device: string },
): Promise<void> {
  try {
    await client.call('POST /rest/twinfold/schedule/resume', { query: target })
  } catch (error) {
    if (!(error instanceof ClientError && error.failure === 'status')) throw error
  }
}

/** What pauses this, as `paused by the rule night until 06:00`; undefined: neither a rule nor a condition does. */
export function pauseNote(
  pauses: readonly ScheduledPauseJson[],
  kind: ScheduledPauseJson['kind'],
  id: string,
): string | undefined {
  const pause = pauses.find((each) => each.kind === kind && each.id === id)
  if (pause === undefined) return undefined
  const { rule, until } = pause
  if (rule === null) return pauseText({ by: 'battery' })
  return pauseText({ by: 'rule', rule, until: until === null ? undefined : clockText(until) })
}

/** When a pause by its user ends, as `until 2026-07-02 06:00`; empty: not by itself. */
export async function timedPauseEnd(client: Client, kind: 'folder' | 'device', id: string): Promise<string> {
  try {
    const { pauses } = await client.call('GET /rest/twinfold/summary')
    const until = pauses.find((pause) => pause.kind === kind && pause.id === id)?.until
    return until === undefined ? '' : ` until ${clockText(until)}`
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return ''
    throw error
  }
}

/** In local time, as `2026-07-02 06:00`. */
export function clockText(time: string): string {
  const date = new Date(time)
  const digits = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`
  return `${day} ${digits(date.getHours())}:${digits(date.getMinutes())}`
}
