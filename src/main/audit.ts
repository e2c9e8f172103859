import { messageOf } from '../core/errors.ts'
import { EVENT_TYPES, type Event, type Logger } from '../events/types.ts'
import type { EventBus } from '../events/bus.ts'
import type { Config } from '../core/config/config.ts'
import type { LineSink } from '../platform/files/lines.ts'
import type { Platform } from '../platform/platform.ts'
import type { ServeOptions } from './args/options.ts'

/**
 * Writes every event as a line of JSON, from now until the signal aborts. A write error is logged once; the line is
 * lost.
 */
export function auditEvents(bus: EventBus, write: (line: string) => void, log: Logger, signal: AbortSignal): void {
  let failed = false
  const onEvent = (event: Event) => {
    try {
      const { globalID, timeMs, type, data } = event
      const line = { id: globalID, globalID, time: new Date(timeMs).toISOString(), type, data }
      write(JSON.stringify(line))
    } catch (error) {
      if (!failed) log.warn(`the audit log cannot be written: ${messageOf(error)}`)
      failed = true
    }
  }
  bus.listen(new Set(EVENT_TYPES), onEvent, signal)
}

/** Enabled by a flag it must work; enabled by the configuration it may fail: a bad setting must not block the start. */
export function openAudit(
  platform: Platform,
  options: ServeOptions,
  settings: Config['options'],
  log: Logger,
): LineSink | undefined {
  const stamp = new Date(platform.clock.nowMs()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const dated = `${options.locations.dataDirectory}/audit-${stamp}.log`
  const open = (path: string) => platform.lines.open(path, { sizeBytesMax: 0, oldFilesMax: 0 })
  if (options.audit !== undefined) return open(options.audit === 'default' ? dated : options.audit)
  if (!settings.auditEnabled) return undefined
  try {
    return open(settings.auditFile === '' ? dated : settings.auditFile)
  } catch (error) {
    log.warn(`the audit log ${settings.auditFile} cannot be opened, auditing is off: ${messageOf(error)}`)
    return undefined
  }
}
