import { SimClock } from '../../src/platform/sim/clock.ts'
import { TimeSlice } from '../../src/sync/time-slice.ts'
import { NEVER } from './wire-parts.ts'

/** A time slice that is never over: all steps run at once. */
export function endlessSlice(): TimeSlice {
  return new TimeSlice(new SimClock(), NEVER)
}
