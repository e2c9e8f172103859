import type { DeliveryResult } from '../core/hooks/queue.ts'
import type { DeviceStates } from '../core/hooks/device-states.ts'
import type { Hook, NewHook } from '../core/hooks/hook.ts'
import type { HookLogEntry } from '../core/hooks/occurrence.ts'
import type { Event, EventType } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import type { HttpClient } from '../platform/http-client.ts'
import type { Programs } from '../platform/programs.ts'
import type { Random } from '../platform/random.ts'

/** The states of the device as far as these hooks need them. */
export type StatesOf = (hooks: readonly Hook[]) => Promise<Pick<DeviceStates, 'folders' | 'devices'>>

export interface HooksDeps {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly http: HttpClient
  readonly programs: Programs
  readonly events: {
    listen(types: ReadonlySet<EventType>, onEvent: (event: Event) => void, signal: AbortSignal): void
  }
  readonly statesOf: StatesOf
  /** Called with what a person should know; there is no log of its own. */
  report(problem: string): void
}

export interface HookPlaces {
  /** The hooks with their secrets. */
  readonly file: string
  /** Of what waits for its delivery. */
  readonly directory: string
}

/** A hook and what became of it. */
export interface HookStatus {
  readonly hook: Hook
  /** Deliveries that wait, also for their next attempt. */
  readonly waiting: number
  readonly last: HookLogEntry | undefined
}

/** What REST uses of hooks. Unknown names reject with `file-missing`. */
export interface HooksView {
  all(): readonly HookStatus[]
  /** Rejects with `bad-request` for one that cannot be added. */
  add(wanted: NewHook): Promise<HookStatus>
  remove(name: string): Promise<void>
  /** Delivers a test at once, beside the queue. */
  test(name: string, signal: AbortSignal): Promise<DeliveryResult>
  /** Newest first. */
  log(name: string): readonly HookLogEntry[]
}
