import type { ConfigStore, TimedPausesView } from '../../config/types.ts'
import type { PauseFacts } from '../../core/records/pause-reasons.ts'
import type { ScheduleView } from '../../schedule/types.ts'
import { formatMs } from './times.ts'

interface PauseSources {
  /** As its owner has set it, without what rules and conditions pause. */
  readonly config: Pick<ConfigStore, 'current'>
  readonly pauses: TimedPausesView
  readonly schedule: Pick<ScheduleView, 'status'>
}

/** What pauses a folder or a device; undefined: nothing does. */
export function pauseFacts(sources: PauseSources, kind: 'folder' | 'device', id: string): PauseFacts | undefined {
  const { folders, devices } = sources.config.current
  const own =
    kind === 'folder' ? folders.find((each) => each.id === id) : devices.find(({ deviceID }) => deviceID === id)
  if (own?.paused === true) {
    const timed = sources.pauses.all().find(({ target }) => target.kind === kind && target.id === id)
    return { by: 'user', until: timed && formatMs(timed.untilMs) }
  }
  const pause = sources.schedule.status().pauses.find((each) => each.kind === kind && each.id === id)
  if (pause === undefined) return undefined
  const { rule, untilMs } = pause
  return {
    by: rule === undefined ? 'battery' : 'rule',
    rule,
    until: untilMs === undefined ? undefined : formatMs(untilMs),
  }
}
