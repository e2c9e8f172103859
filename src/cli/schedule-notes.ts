import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { ScheduledPauseJson, ScheduleJson } from '../rest/schedule.ts'

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
  if (pause.rule === null) return 'paused while the machine runs on its battery'
  return `paused by the rule ${pause.rule}${pause.until === null ? '' : ` until ${clockText(pause.until)}`}`
}

/** In local time, as `2026-07-02 06:00`. */
export function clockText(time: string): string {
  const date = new Date(time)
  const digits = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`
  return `${day} ${digits(date.getHours())}:${digits(date.getMinutes())}`
}
