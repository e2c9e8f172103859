import { messageOf } from '../../core/errors.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { supervise, type Service } from '../../sync/supervisor.ts'

export interface SuperviseDeps {
  readonly clock: Clock
  readonly events: EventSink
  readonly log: Logger
}

/** Runs services until the signal aborts; one that fails is reported and restarted. */
export async function superviseAll(
  services: readonly Service[],
  { clock, events, log }: SuperviseDeps,
  signal: AbortSignal,
): Promise<void> {
  const supervised = services.map((service) => {
    const onFailure = (error: unknown) => {
      log.error(`${service.name} failed and restarts: ${messageOf(error)}`)
      events.emit('Failure', `${service.name} failed: ${messageOf(error)}`)
    }
    return supervise(service, clock, onFailure, signal)
  })
  await Promise.all(supervised)
}
