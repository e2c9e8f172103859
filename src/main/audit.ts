import { messageOf } from '../core/errors.ts'
import { EVENT_TYPES, type Event, type Logger } from '../events/types.ts'
import type { EventBus } from '../events/bus.ts'

/**
 * Writes every event as a line of JSON, from now until the signal aborts. Some events hold keys: the file must be
 * readable by its owner only. A write error is logged once; the line is lost.
 */
export function auditEvents(bus: EventBus, write: (line: string) => void, log: Logger, signal: AbortSignal): void {
  let failed = false
  const onEvent = (event: Event) => {
    try {
      const { globalID, timeMs, type, data } = event
      write(JSON.stringify({ id: globalID, globalID, time: new Date(timeMs).toISOString(), type, data }))
    } catch (error) {
      if (!failed) log.warn(`the audit log cannot be written: ${messageOf(error)}`)
      failed = true
    }
  }
  bus.listen(new Set(EVENT_TYPES), onEvent, signal)
}
