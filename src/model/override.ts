import type { FileInfo } from '../core/records/file-info.ts'
import type { IgnoreRules } from '../core/ignore/ignore.ts'
import { overridingRecord } from '../core/records/override.ts'
import type { CountTime } from '../core/records/version-vector.ts'
import type { FolderIndex } from '../db/types.ts'

const PAGE = 1_000

export interface OverrideDeps {
  readonly index: FolderIndex
  readonly ignore: IgnoreRules
  onStored(batch: readonly FileInfo[], sequence: number): void
}

/** The same for these names: our items win, and others get them back. */
export async function overrideItems(
  deps: OverrideDeps,
  names: readonly string[],
  options: CountTime,
  signal: AbortSignal,
): Promise<void> {
  const { index } = deps
  for (let at = 0; at < names.length; at += PAGE) {
    signal.throwIfAborted()
    const batch: FileInfo[] = []
    for (const name of names.slice(at, at + PAGE)) {
      const { local, global } = await index.records.both(name)
      if (local === undefined || local.deleted || global === undefined) continue
      const record = overridingRecord(local, global, options)
      if (record !== undefined) batch.push(record)
    }
    if (batch.length > 0) deps.onStored(batch, await index.records.updateLocal(batch))
  }
}

/** Writes a local record over every change of other devices, with a newer version and our content. Changes no file. */
export async function overrideOthers(deps: OverrideDeps, options: CountTime, signal: AbortSignal): Promise<void> {
  const { index, ignore } = deps
  for (let offset = 0; ;) {
    signal.throwIfAborted()
    const page = await index.needs.need({ offset, limit: PAGE })
    const batch: FileInfo[] = []
    for (const { name } of page) {
      const global = await index.records.global(name)
      const record =
        global === undefined || ignore.match(name).ignored
          ? undefined
          : overridingRecord(await index.records.get('local', name), global, options)
      if (record === undefined) offset++ // stays needed
      else batch.push(record)
    }
    if (batch.length > 0) deps.onStored(batch, await index.records.updateLocal(batch, 'action'))
    if (page.length < PAGE) return
  }
}
