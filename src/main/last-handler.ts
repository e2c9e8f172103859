import { messageOf } from '../core/errors.ts'
import { losesInvariant, placeOf, type Unhandled } from '../core/unhandled.ts'
import type { EventSink, Logger } from '../events/types.ts'

/** Places whose failures are counted apart; the others are counted together. */
const PLACES_MAX = 100
const STACK_LENGTH_MAX = 8_192

export interface LastHandlerDeps {
  readonly log: Logger
  readonly events: EventSink
  /** Stops the daemon in order. */
  end(): void
}

/** Reports unhandled failures, and ends the daemon if it cannot rely on its state any more. */
export class LastHandler {
  readonly #deps: LastHandlerDeps
  readonly #counts = new Map<string, number>()

  constructor(deps: LastHandlerDeps) {
    this.#deps = deps
  }

  handle(failure: Unhandled): 'end' | 'go-on' {
    const { log, events, end } = this.#deps
    const { kind, error } = failure
    const isLost = losesInvariant(failure)
    const found = placeOf(error)
    const place = this.#counts.has(found) || this.#counts.size < PLACES_MAX ? found : 'other places'
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    const outcome = isLost ? 'the state is not reliable any more, stopping' : 'going on'
    const text = `unhandled ${kind} at ${place}: ${messageOf(error)}; ${outcome}`
    // The same failure again and again must not fill the log.
    if (isLost || isPowerOfTen(count)) {
      log.error(count === 1 ? text : `${text} (${count} times)`)
      const stack = error instanceof Error ? error.stack : undefined
      if (stack !== undefined) for (const line of stack.slice(0, STACK_LENGTH_MAX).split('\n')) log.info(line)
      events.emit('Failure', text)
    }
    if (isLost) end()
    return isLost ? 'end' : 'go-on'
  }
}

function isPowerOfTen(count: number): boolean {
  return Number.isInteger(Math.log10(count))
}
