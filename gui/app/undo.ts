import { isChanged, withoutChange } from '../view-model/undo.ts'
import { client } from '../live/client.ts'

/** Undoes what was done; it rejects if the daemon refuses. */
export type Undo = () => Promise<unknown>

/** Changes the configuration. Resolves to what undoes the change; undefined if there is nothing to undo. */
export async function changeWithUndo(doing: () => Promise<unknown>): Promise<Undo | undefined> {
  const before = await client.config()
  await doing()
  // A daemon that has moved to another address does not respond.
  const after = await client.config().catch(() => before)
  if (!isChanged(before, after)) return undefined
  return async () => {
    const current = await client.config()
    await client.call('PUT /rest/config', { body: withoutChange(current, before, after) })
  }
}
