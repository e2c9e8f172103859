import type { FolderChange } from '../../../src/client/client.ts'
import { client } from '../../live/client.ts'

/** Adds a folder. With ignore patterns it starts only when they are saved, so that no ignored file is announced. */
export async function createFolder(
  folder: FolderChange & { readonly id: string; readonly path: string },
  ignores: readonly string[],
): Promise<void> {
  if (ignores.length === 0) {
    await client.addFolder(folder)
    return
  }
  await client.addFolder({ ...folder, paused: true })
  await client.call('POST /rest/db/ignores', { query: { folder: folder.id }, body: { ignore: ignores } })
  if (folder.paused !== true) await client.changeFolder(folder.id, { paused: false })
}
