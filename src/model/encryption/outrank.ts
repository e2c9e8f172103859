import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import type { FolderIndex, IndexStore } from '../../db/types.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderRoots } from '../state/folder-roots.ts'
import { isInvalid, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import { compareVersions, COUNTER_MAX, type VersionVector } from '../../core/records/version-vector.ts'
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
  if (announced === undefined || ours === undefined || !isConcurrent(ours, announced)) return undefined
  const { local, global } = await index.records.both(name)
  if (local === undefined || global === undefined) return undefined
  const version = outrankingVersion({ local, global, announced }, counterId)
  return version === undefined ? undefined : { ...local, version, sequence: 0 }
}

/**
 * The version that our record needs for an untrusted device to take it instead of the one it announces; undefined where
 * it has none or takes ours anyway. Such a device orders versions by the sum of their counters, and would keep a
 * concurrent one that loses against ours from the devices behind it. Ours stays concurrent: no edit is hidden by it.
 */
export function outrankingVersion(
  { local, global, announced }: { readonly local: FileHead; readonly global: FileHead; readonly announced: FileHead },
  counterId: ShortId,
): VersionVector | undefined {
  if (isInvalid(local) || isInvalid(announced) || (local.deleted && announced.deleted)) return undefined
  if (!isConcurrent(local, announced)) return undefined
  if (compareVersions(local.version, global.version) !== 'equal') return undefined // another record wins
  const missing = sumOf(announced.version) - sumOf(local.version) + 1n
  if (missing <= 0n) return undefined
  const others = local.version.filter(({ device }) => device !== counterId)
  const value = (local.version.find(({ device }) => device === counterId)?.value ?? 0n) + missing
  if (value > COUNTER_MAX) return undefined
  return [...others, { device: counterId, value }].sort((a, b) => (a.device < b.device ? -1 : 1))
}

function isConcurrent(a: FileHead, b: FileHead): boolean {
  return compareVersions(a.version, b.version).startsWith('concurrent')
}

function sumOf(version: VersionVector): bigint {
  return version.reduce((sum, { value }) => sum + value, 0n)
}
