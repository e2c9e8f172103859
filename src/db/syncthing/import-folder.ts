import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import type { Logger } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { ImportProgress } from '../folder/folder-import.ts'
import type { ImportingStore } from '../store.ts'
import type { ForeignFolder, NameGroup, SyncthingIndex } from './types.ts'
import { NEVER } from '../../core/never.ts'

const REPORT_MS = 5_000

export interface ImportDeps {
  readonly disk: Disk
  readonly clock: Clock
  readonly store: ImportingStore
  readonly log: Logger
}

export interface ImportedFolder {
  readonly id: FolderId
  readonly devices: ReadonlySet<DeviceId>
}

export interface ImportOptions {
  readonly dataDirectory: string
  readonly databaseDirectory: string
  /** The folders of the configuration; records of others are not imported. */
  readonly folders: readonly ImportedFolder[]
  readonly ownShortId: ShortId
}

export interface FolderSource extends Pick<ImportOptions, 'ownShortId'> {
  readonly signal: AbortSignal
  readonly index: SyncthingIndex
  readonly folder: ImportedFolder
  /** Identifies the state of the index. */
  readonly source: string
  /** How many items are imported, of about how many. */
  report(items: number, total: number): void
}

/** Imports one folder, or the rest of it. An index of ours from another source is replaced. */
export async function importFolder(deps: ImportDeps, options: FolderSource): Promise<void> {
  const { store, clock, log } = deps
  const { index, folder, signal, report } = options
  let progress = await startOf(deps, options)
  if (progress.done) return
  await using foreign = await index.open(folder.id, folder.devices)
  const startedMs = clock.monotonicMs()
  let reportedMs = startedMs
  let unusable = 0
  const { items } = progress
  report(items, foreign.nameCount)
  for await (const groups of foreign.groups(progress.after)) {
    signal.throwIfAborted()
    const before = progress
    progress = progressWith(before, groups)
    await store.importing(folder.id, (target) =>
      target.put(
        groups.map(({ records }) => records),
        before,
        progress,
      ),
    )
    report(progress.items, foreign.nameCount)
    unusable += groups.reduce((sum, group) => sum + group.unusable.length, 0)
    if (clock.monotonicMs() - reportedMs >= REPORT_MS) {
      reportedMs = clock.monotonicMs()
      log.info(`folder ${folder.id}: ${progress.items} of about ${foreign.nameCount} items imported`)
    }
    await clock.sleep(0, NEVER) // other work runs in between
  }
  await store.importing(folder.id, (target) => target.finish(positionsOf(foreign, options), progress))
  const seconds = ((clock.monotonicMs() - startedMs) / 1_000).toFixed(1)
  log.info(`folder ${folder.id}: imported ${progress.items - items} items in ${seconds} s`)
  if (unusable > 0) log.warn(`folder ${folder.id}: ${unusable} records could not be used and will be made again`)
}

async function startOf({ store }: ImportDeps, { folder: { id }, source }: FolderSource): Promise<ImportProgress> {
  const isThere = (await store.folders()).includes(id)
  const known = isThere ? await store.importing(id, (target) => target.progress()) : undefined
  if (known?.source === source) return known
  if (isThere) await store.dropFolder(id)
  return { source, after: '', items: 0, incomplete: [], done: false }
}

function progressWith(before: ImportProgress, groups: readonly NameGroup[]): ImportProgress {
  const incomplete = new Set(before.incomplete)
  for (const { unusable } of groups) for (const owner of unusable) if (owner !== 'local') incomplete.add(owner)
  return {
    ...before,
    after: groups.at(-1)!.name,
    items: before.items + groups.length,
    incomplete: [...incomplete],
  }
}

function positionsOf({ positions }: ForeignFolder, { ownShortId, folder }: FolderSource) {
  const own = positions.find(({ owner }) => owner === 'local')
  const remotes = positions.flatMap(({ owner, indexId, sequence }) =>
    owner === 'local' ? [] : [[owner, { indexId, sequence }] as const],
  )
  return {
    indexId: own?.indexId ?? 0n,
    sequence: own?.sequence ?? 0,
    ownShortId,
    remotes: new Map(remotes),
    shared: [...folder.devices],
  }
}
