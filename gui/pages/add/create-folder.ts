import type { FolderChange } from '../../../src/client/client.ts'
import { client } from '../../live/client.ts'

/**
 * Adds a folder. With ignore patterns, or with nothing yet, it starts only when they are saved: no ignored file is
 * announced, and none is fetched.
 */
export async function createFolder(
  folder: FolderChange & { readonly id: string; readonly path: string },
  ignores: readonly string[],
  isNothingYet: boolean,
): Promise<void> {
  if (ignores.length === 0 && !isNothingYet) {
    await client.addFolder(folder)
    return
  }
  await client.addFolder({ ...folder, paused: true })
  const query = { folder: folder.id }
  if (ignores.length > 0) await client.call('POST /rest/db/ignores', { query, body: { ignore: ignores } })
  if (isNothingYet) await client.call('POST /rest/twinfold/selection', { query, body: { drop: [''] } })
  if (folder.paused !== true) await client.changeFolder(folder.id, { paused: false })
}
