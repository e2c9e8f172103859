import type { Config } from '../../core/config/config.ts'
import type { ScheduledPause } from '../../core/schedule/effect.ts'

/** The configuration with what rules and conditions pause now, which its owner has not paused. */
export function withScheduledPauses(config: Config, pauses: readonly ScheduledPause[]): Config {
  if (pauses.length === 0) return config
  const isPaused = (kind: ScheduledPause['kind'], id: string) =>
    pauses.some((pause) => pause.kind === kind && pause.id === id)
  return {
    ...config,
    folders: config.folders.map((each) => (isPaused('folder', each.id) ? { ...each, paused: true } : each)),
    devices: config.devices.map((each) => (isPaused('device', each.deviceID) ? { ...each, paused: true } : each)),
  }
}
