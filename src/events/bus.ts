import type { Clock } from '../platform/clock.ts'
import { EventRing } from './event-ring.ts'
import {
  DEFAULT_EVENT_TYPES,
  DISK_EVENT_TYPES,
  EVENT_TYPES,
  type Event,
  type EventBuffer,
  type EventMap,
  type EventSink,
  type EventSource,
  type EventType,
  type Logger,
} from './types.ts'

/** Selections kept at once; each holds a thousand events, and anybody with the API key can ask for new ones. */
const SELECTIONS_MAX = 64

/** How many events of a type were made, handed to somebody, and lost because the receiver failed. */
export interface EventCounts {
  readonly created: number
  readonly delivered: number
  readonly dropped: number
}

interface Selection {
  readonly types: ReadonlySet<EventType>
  readonly ring: EventRing
}

interface Listener {
  readonly types: ReadonlySet<EventType>
  readonly hear: (event: Event) => void
}

export interface EventBusDeps {
  readonly clock: Clock
  readonly log: Logger
}

/** Carries what happened from those who did it to those who want to know, who do not know each other. */
export class EventBus implements EventSink, EventSource {
  readonly #deps: EventBusDeps
  /** In order of use, the longest unused first. The two everybody uses are outside and never go. */
  readonly #selections = new Map<string, Selection>()
  readonly #standard = new Map<string, Selection>()
  /** The rings of all selections that want a type. Forgotten when selections come and go. */
  readonly #rings = new Map<EventType, readonly EventRing[]>()
  readonly #listeners = new Set<Listener>()
  readonly #counts = new Map<EventType, { created: number; delivered: number; dropped: number }>()
  #lastGlobalId = 0
  /** Above every id of a selection that was given up, so that its clients are not left waiting for an old number. */
  #forgottenId = 0

  constructor(deps: EventBusDeps) {
    this.#deps = deps
    for (const types of [DEFAULT_EVENT_TYPES, DISK_EVENT_TYPES]) {
      this.#standard.set(keyOf(types), { types, ring: new EventRing(deps.clock, 0) })
    }
    for (const type of EVENT_TYPES) this.#counts.set(type, { created: 0, delivered: 0, dropped: 0 })
  }

  /** Never blocks and never throws at the emitter. */
  emit<K extends EventType>(type: K, data: EventMap[K]): void {
    const globalID = ++this.#lastGlobalId
    const event = { globalID, timeMs: this.#deps.clock.nowMs(), type, data } as Event
    const counts = this.#counts.get(type)
    if (counts === undefined) throw new Error(`unknown event type ${type}`)
    counts.created++
    for (const ring of this.#ringsFor(type)) {
      ring.push(event)
      counts.delivered++
    }
    for (const listener of this.#listeners) {
      if (!listener.types.has(type)) continue
      try {
        listener.hear(event)
        counts.delivered++
      } catch (error) {
        counts.dropped++
        this.#deps.log.debug(() => `a listener failed on event ${globalID} ${type}: ${String(error)}`)
      }
    }
    // Only the name: the data of some events holds keys and password hashes.
    this.#deps.log.debug(() => `event ${globalID} ${type}`)
  }

  #ringsFor(type: EventType): readonly EventRing[] {
    const known = this.#rings.get(type)
    if (known !== undefined) return known
    const selections = [...this.#standard.values(), ...this.#selections.values()]
    const rings = selections.filter(({ types }) => types.has(type)).map(({ ring }) => ring)
    this.#rings.set(type, rings)
    return rings
  }

  buffer(types: ReadonlySet<EventType>): EventBuffer {
    const key = keyOf(types)
    const standard = this.#standard.get(key)
    if (standard !== undefined) return standard.ring
    const known = this.#selections.get(key)
    if (known === undefined) this.#rings.clear()
    if (known === undefined && this.#selections.size >= SELECTIONS_MAX) this.#forgetOne()
    const selection = known ?? { types: new Set(types), ring: new EventRing(this.#deps.clock, this.#forgottenId) }
    this.#selections.delete(key)
    this.#selections.set(key, selection)
    return selection.ring
  }

  /** Calls `hear` for every event of these types until the signal aborts. What it throws is counted and dropped. */
  listen(types: ReadonlySet<EventType>, hear: (event: Event) => void, signal: AbortSignal): void {
    if (signal.aborted) return
    const listener: Listener = { types, hear }
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }

  counts(): ReadonlyMap<EventType, EventCounts> {
    return this.#counts
  }

  /** Gives up the longest unused selection; one that somebody waits on only when all are waited on. */
  #forgetOne(): void {
    const entries = [...this.#selections]
    const [key, selection] = entries.find(([, { ring }]) => !ring.waiting) ?? entries[0]!
    this.#forgottenId = Math.max(this.#forgottenId, selection.ring.newestId)
    this.#selections.delete(key)
    this.#deps.log.debug(() => `gave up the event buffer for ${key}: ${SELECTIONS_MAX} are kept`)
  }
}

function keyOf(types: ReadonlySet<EventType>): string {
  return [...types].sort().join(',')
}
