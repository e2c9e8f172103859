import { messageOf } from '../core/errors.ts'
import type { FolderId } from '../core/ids.ts'
import { FLAG_MUST_RESCAN, type FileInfo } from '../core/records/file-info.ts'
import type { IndexStore } from '../db/types.ts'
import type { Logger } from '../events/types.ts'
import type { FolderRegistry } from './folder-registry.ts'
import type { DifferingItem } from './signals.ts'

export interface RescanDeps {
  readonly store: Pick<IndexStore, 'folder'>
  readonly folders: Pick<FolderRegistry, 'running'>
  readonly log: Logger
}

/** Scans an item that is not as its record says. */
export function rescanItem(deps: RescanDeps, { folder, record, contentOnly }: DifferingItem): void {
  const { folders, log } = deps
  // It is missing, as the guard knows: a scan for each request would find nothing new.
  if (folders.running(folder)?.guarding.heldBecause(record.name)?.side === 'local') return
  const marked = contentOnly ? mustRescan(deps, folder, record) : Promise.resolve()
  marked
    .then(() => folders.running(folder)?.requests.scanPaths([record.name]))
    .catch((error: unknown) => {
      log.warn(`folder ${folder}: ${record.name} could not be marked for a rescan: ${messageOf(error)}`)
    })
}

/** Size and time of the file are unchanged: the flag makes a scan read it in any case. */
async function mustRescan({ store }: RescanDeps, folder: FolderId, record: FileInfo): Promise<void> {
  const index = await store.folder(folder)
  const current = await index.records.get('local', record.name)
  // A newer record than the requested one was scanned since.
  if (current === undefined || current.sequence !== record.sequence || current.deleted) return
  await index.records.updateLocal([{ ...current, localFlags: current.localFlags | FLAG_MUST_RESCAN }])
}
