import { isFolderVisible, type FolderLimit } from '../../core/access.ts'
import type { Config } from '../../core/config/config.ts'
import type {
  Event,
  EventBuffer,
  EventMap,
  EventRow,
  EventSequence,
  EventSource,
  EventType,
} from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { subjectsOf } from '../../rest/event-subjects.ts'

/** About the process and this device: they name no folder and no other device. */
const ABOUT_DEVICE: ReadonlySet<EventType> = new Set([
  'Starting',
  'StartupComplete',
  'ListenAddressesChanged',
  'ScheduleChanged',
])

export interface LimitedEventDeps {
  readonly source: EventSource
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly limit: FolderLimit
  /** The configuration now, as the grant sees it. */
  config(): Config
  limited(config: Config): Config
}

/** The events that a grant may see, under their own numbers. */
export class LimitedEvents implements EventSource {
  readonly #deps: LimitedEventDeps

  constructor(deps: LimitedEventDeps) {
    this.#deps = deps
  }

  /** Complete, so that a reader detects what is missing in it: `shown` leaves out what it may not see. */
  sequence(): EventSequence {
    return this.#deps.source.sequence()
  }

  readonly shown = (row: EventRow): EventRow | undefined => {
    const data = this.#dataOf(row)
    return data === undefined ? undefined : ({ ...row, data } as EventRow)
  }

  buffer(types: ReadonlySet<EventType>): EventBuffer {
    const whole = this.#deps.source.buffer(types)
    const { clock } = this.#deps
    return {
      since: async (since, timeoutMs, signal) => {
        const endMs = clock.monotonicMs() + timeoutMs
        for (let after = since; ;) {
          const rows = await whole.since(after, Math.max(0, endMs - clock.monotonicMs()), signal)
          const shown = rows.flatMap((row) => this.shown(row) ?? [])
          const last = rows.at(-1)
          if (shown.length > 0 || last === undefined || signal.aborted) return shown
          after = last.id
        }
      },
    }
  }

  #dataOf(event: Event): Event['data'] | undefined {
    const { limit, config, limited } = this.#deps
    if (event.type === 'ConfigSaved') return limited(event.data as Config)
    if (limit === undefined || ABOUT_DEVICE.has(event.type)) return event.data
    if (event.type === 'DownloadProgress') return progressOf(event.data, limit)
    const { folders, devices } = subjectsOf(event.type, event.data)
    if (folders.length > 0) return folders.every((id) => isFolderVisible(limit, id)) ? event.data : undefined
    const known = new Set<string>(config().devices.map(({ deviceID }) => deviceID))
    return devices.length > 0 && devices.every((id) => known.has(id)) ? event.data : undefined
  }
}

function progressOf(data: EventMap['DownloadProgress'], limit: FolderLimit): EventMap['DownloadProgress'] {
  return Object.fromEntries(Object.entries(data).filter(([folder]) => isFolderVisible(limit, folder)))
}
