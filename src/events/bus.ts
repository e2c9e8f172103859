import type { Clock } from '../platform/clock.ts'
import { EventRing } from './event-ring.ts'
import {
  DEFAULT_EVENT_TYPES,
  DISK_EVENT_TYPES,
  EVENT_TYPES,
  type Event,
  type EventBuffer,
  type EventMap,
  type EventSequence,
  type EventSink,
  type EventSource,
  type EventType,
  type Logger,
} from './types.ts'

/** Bounds memory: each selection holds a thousand events, and any API client can request new ones. */
const SELECTIONS_MAX = 64
/** A first scan emits one event for each file: readers of the sequence get this far behind before they miss some. */
const SEQUENCE_ROWS_MAX = 10_000

/** How many events of a type were created, delivered, and dropped because the receiver failed. */
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
  readonly onEvent: (event: Event) => void
}

export interface EventBusDeps {
  readonly clock: Clock
  readonly log: Logger
}

/** Publishes events from emitters to buffers and listeners. */
export class EventBus implements EventSink, EventSource {
  readonly #deps: EventBusDeps
  /** In LRU order, least recently used first. The two standard selections are separate and never evicted. */
  readonly #selections = new Map<string, Selection>()
  readonly #standard = new Map<string, Selection>()
  /** Cache: the rings of all selections that contain a type. Cleared when a selection is added. */
  readonly #rings = new Map<EventType, readonly EventRing[]>()
  readonly #listeners = new Set<Listener>()
  #sequence: EventRing | undefined
  readonly #counts = new Map<EventType, { created: number; delivered: number; dropped: number }>()
  #lastGlobalId = 0
  /** Highest id of all evicted selections: new ones number from here, so that polls with an old id do not block. */
  #evictedId = 0

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
    this.#sequence?.push(event)
    for (const listener of this.#listeners) {
      if (!listener.types.has(type)) continue
      try {
        listener.onEvent(event)
        counts.delivered++
      } catch (error) {
        counts.dropped++
        this.#deps.log.debug(() => `a listener failed on event ${globalID} ${type}: ${String(error)}`)
      }
    }
    // Only the name: the data of some events contains keys and password hashes.
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
    if (known === undefined && this.#selections.size >= SELECTIONS_MAX) this.#evictOne()
    const selection = known ?? this.#makeSelection(types)
    this.#selections.delete(key)
    this.#selections.set(key, selection)
    return selection.ring
  }

  sequence(): EventSequence {
    this.#sequence ??= this.#makeSequence()
    return this.#sequence
  }

  /** Begins after the last event that a standard selection has dropped: from there on none is missing. */
  #makeSequence(): EventRing {
    const rings = [...this.#standard.values()].map(({ ring }) => ring)
    const dropped = rings.map(({ hasDropped, events }) =>
      hasDropped ? (events[0]?.globalID ?? this.#lastGlobalId) : 0,
    )
    const first = Math.max(0, ...dropped) // at most 2
    const earlier = this.#earlier(() => true).filter(({ globalID }) => globalID >= first)
    return new EventRing(this.#deps.clock, this.#lastGlobalId, earlier, SEQUENCE_ROWS_MAX)
  }

  /** The events of the standard selections, in their order. */
  #earlier(accept: (event: Event) => boolean): Event[] {
    const rows = [...this.#standard.values()].flatMap(({ ring }) => ring.events.filter(accept))
    const unique = new Map(rows.map((row) => [row.globalID, row]))
    return [...unique.values()].sort((a, b) => a.globalID - b.globalID)
  }

  /** With the events that the standard selections still hold, so that the first poll has a history. */
  #makeSelection(types: ReadonlySet<EventType>): Selection {
    const earlier = this.#earlier(({ type }) => types.has(type))
    return { types: new Set(types), ring: new EventRing(this.#deps.clock, this.#evictedId, earlier) }
  }

  /** Calls `onEvent` for every event of these types until the signal aborts. An exception counts as a dropped event. */
  listen(types: ReadonlySet<EventType>, onEvent: (event: Event) => void, signal: AbortSignal): void {
    if (signal.aborted) return
    const listener: Listener = { types, onEvent }
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }

  counts(): ReadonlyMap<EventType, EventCounts> {
    return this.#counts
  }

  /** Evicts the least recently used selection without a waiting client; any when all have one. */
  #evictOne(): void {
    const entries = [...this.#selections]
    const [key, selection] = entries.find(([, { ring }]) => !ring.waiting) ?? entries[0]!
    this.#evictedId = Math.max(this.#evictedId, selection.ring.newestId)
    this.#selections.delete(key)
    this.#deps.log.debug(() => `evicted the event buffer for ${key}: limit is ${SELECTIONS_MAX}`)
  }
}

function keyOf(types: ReadonlySet<EventType>): string {
  return [...types].sort().join(',')
}
