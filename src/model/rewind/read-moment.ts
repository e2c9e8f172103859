import { TwinfoldError } from '../../core/errors.ts'
import { Moment } from '../../core/rewind/moment.ts'
import type { History, HistoryStep } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'

/** What changed since a moment. Rejects with `refused` where the history does not reach back to it. */
export async function readMoment(history: History, path: string, momentMs: number, slice: TimeSlice): Promise<Moment> {
  const sinceMs = await history.sinceMs()
  if (sinceMs === undefined) throw new TwinfoldError('refused', 'the first scan of the folder has not ended yet')
  if (momentMs < sinceMs) {
    const since = new Date(sinceMs).toISOString()
    throw new TwinfoldError('refused', `the history of the folder begins at ${since}: choose a later time`)
  }
  const moment = new Moment(path)
  for (let batch: number | undefined = await history.lastBatchAt(momentMs); batch !== undefined;) {
    const step: HistoryStep = await history.after(batch)
    if (step.hasGap) {
      const after = step.entries[0]?.atMs
      const when = after === undefined ? '' : ` around ${new Date(after).toISOString()}`
      throw new TwinfoldError('refused', `the history of the folder is damaged${when}: choose a later time`)
    }
    for (const entry of step.entries) moment.add(entry)
    batch = step.next
    if (slice.isDue) await slice.yield()
  }
  return moment
}
