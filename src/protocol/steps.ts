import type { TimeSlice } from '../sync/time-slice.ts'

/**
 * Long decoding in small steps: `undefined` marks the end of one, at which other work may run. Everything else is a
 * result.
 */
export type Steps<T, R = void> = Generator<T | undefined, R>

/** Bytes decoded per step: even the costliest take less than a time slice. */
export const STEP_BYTES = 32 * 1024

/** Runs all steps and lets other work run whenever the time slice is over. */
export async function inSlices<R>(steps: Steps<never, R>, slice: TimeSlice): Promise<R> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (slice.isDue) await slice.yield()
  }
}
