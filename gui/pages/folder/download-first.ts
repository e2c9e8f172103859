import { runAction } from '../../app/run-action.ts'
import { client } from '../../live/client.ts'

/** Moves files to the front of the queue, in this order. */
export function downloadFirst(folder: string, names: readonly string[], done: string): Promise<unknown> {
  return runAction(async () => {
    // The last one moved to the front is the first in the end.
    for (const name of names.toReversed()) await client.prioritize(folder, name)
  }, done)
}
