import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import type { FolderIndex, IndexStore } from '../../db/types.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderRoots } from '../state/folder-roots.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { outrankingVersion } from '../../core/records/outrank.ts'
import { isConcurrent } from '../../core/records/version-vector.ts'
import { NEVER } from '../../core/never.ts'

export interface OutrankDeps {
  readonly store: Pick<IndexStore, 'folder'>
  readonly roots: Pick<FolderRoots, 'continuity' | 'lock'>
  readonly signals: ModelSignals
}

/** Our records of these names that win against what an untrusted device announces get a version that it takes over. */
export async function outrankAll(
  { store, roots, signals }: OutrankDeps,
  { device, folder }: { readonly device: DeviceId; readonly folder: FolderId },
  names: readonly Pick<FileHead, 'name'>[],
): Promise<void> {
  const index = await store.folder(folder)
  // Valid whatever this index may have lost.
  const counterId = roots.continuity(folder).temporaryId
  const affected: string[] = []
  for (const { name } of names)
    if ((await outranking(index, device, name, counterId)) !== undefined) affected.push(name)
  if (affected.length === 0) return
  using _lock = await roots.lock(folder).exclusive(NEVER)
  for (const name of affected) {
    const record = await outranking(index, device, name, counterId)
    if (record !== undefined) await index.records.updateLocal([record])
  }
  signals.localIndexChanged.emit(folder)
}

async function outranking(
  index: FolderIndex,
  device: DeviceId,
  name: string,
  counterId: ShortId,
): Promise<FileInfo | undefined> {
  const announced = await index.records.head(device, name)
  const ours = announced === undefined ? undefined : await index.records.head('local', name)
  // Nearly always: nothing else is read then.
  if (announced === undefined || ours === undefined || !isConcurrent(ours.version, announced.version)) return undefined
  const { local, global } = await index.records.both(name)
  if (local === undefined || global === undefined) return undefined
  const version = outrankingVersion({ local, global, announced }, counterId)
  return version === undefined ? undefined : { ...local, version, sequence: 0 }
}
