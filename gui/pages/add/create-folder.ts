import type { FolderChange } from '../../../src/client/client.ts'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { safetyOfNew } from '../../../src/core/config/safety.ts'
import { client } from '../../live/client.ts'

export interface NewFolderOptions {
  readonly ignores: readonly string[]
  readonly isNothingYet: boolean
  /** The defaults for new folders, where it gets a trash can and the guard. */
  readonly safeWith: FolderConfig | undefined
}

/**
 * Adds a folder. With ignore patterns, or with nothing yet, it starts only when they are saved: no ignored file is
 * announced, and none is fetched.
 */
export async function createFolder(
  folder: FolderChange & { readonly id: string; readonly path: string },
  { ignores, isNothingYet, safeWith }: NewFolderOptions,
): Promise<void> {
  const safety = safeWith === undefined ? { extensions: {} } : safetyOfNew(safeWith, folder)
  const safe = { ...folder, ...(safety.versioning !== undefined && { versioning: safety.versioning }) }
  const isHeld = ignores.length > 0 || isNothingYet
  await client.addFolder(isHeld ? { ...safe, paused: true } : safe)
  if (Object.keys(safety.extensions).length > 0)
    await client.call('PATCH /rest/twinfold/settings', { body: { folders: { [folder.id]: safety.extensions } } })
  const query = { folder: folder.id }
  if (ignores.length > 0) await client.call('POST /rest/db/ignores', { query, body: { ignore: ignores } })
  if (isNothingYet) await client.call('POST /rest/twinfold/selection', { query, body: { drop: [''] } })
  if (isHeld && folder.paused !== true) await client.changeFolder(folder.id, { paused: false })
}
