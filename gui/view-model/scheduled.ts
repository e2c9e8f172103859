import type { LiveState } from '../live/state.ts'

type ScheduledPause = LiveState['scheduledPauses'][number]

/** The pause by a rule or a condition; undefined: none pauses it. */
export function scheduledPause(
  state: Pick<LiveState, 'scheduledPauses'>,
  kind: ScheduledPause['kind'],
  id: string,
): ScheduledPause | undefined {
  return state.scheduledPauses.find((pause) => pause.kind === kind && pause.id === id)
}
