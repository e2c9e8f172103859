import type { DeviceId } from '../../core/ids.ts'
import { baseOf } from '../../core/paths.ts'
import type { FolderIndex, FolderTotals } from '../../db/types.ts'
import type { TreePage } from './explorer-types.ts'
import { itemsOf } from './item-view.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'

/** Names of one directory that are read. */
const LEVEL_NAMES_MAX = 100_000
/** A smaller directory is listed again for every page, which is cheap and needs no cache. */
const KEPT_FROM = 1_000
/** The time limit of a search; a longer text narrows it. */
const SEARCH_MS_MAX = 2_000

interface Level {
  /** Directories first. */
  readonly names: readonly string[]
  readonly truncated: boolean
}

/** The latest large directory that was listed; valid while its folder is unchanged. */
interface KeptLevel extends Level {
  readonly index: FolderIndex
  readonly totals: FolderTotals
  readonly directory: string
}

/** Lists directories. */
export class Trees {
  #kept: KeptLevel | undefined

  async page(
    index: FolderIndex,
    directory: string,
    others: readonly DeviceId[],
    { page, perPage }: Paging,
    slice: TimeSlice,
  ): Promise<TreePage> {
    const { names, truncated } = await this.#level(index, directory, slice)
    const items = await itemsOf(index, names.slice((page - 1) * perPage, page * perPage), others)
    const directories = items
      .filter(({ records }) => records.global.type === 'directory')
      .map(({ records }) => records.name)
    const filled = await index.nonEmpty(directories)
    const withChildren = items.map((item) => {
      return item.records.global.type === 'directory' ? { ...item, children: filled.has(item.records.name) } : item
    })
    return { total: names.length, truncated, items: withChildren }
  }

  async #level(index: FolderIndex, directory: string, slice: TimeSlice): Promise<Level> {
    const kept = this.#kept
    const { totals } = index
    if (kept !== undefined && kept.index === index && kept.totals === totals && kept.directory === directory)
      return kept
    const level = await listLevel(index, directory, slice)
    const settled = totals !== undefined && totals === index.totals
    this.#kept = settled && level.names.length >= KEPT_FROM ? { ...level, index, totals, directory } : undefined
    return level
  }
}

async function listLevel(index: FolderIndex, directory: string, slice: TimeSlice): Promise<Level> {
  const directories: string[] = []
  const others: string[] = []
  for (let start: string | undefined = ''; start !== undefined;) {
    const { found, next }: Awaited<ReturnType<FolderIndex['listLevel']>> = await index.listLevel(directory, start)
    for (const { name, type } of found) (type === 'directory' ? directories : others).push(name)
    if (next !== undefined && directories.length + others.length >= LEVEL_NAMES_MAX) {
      return { names: [...directories, ...others], truncated: true }
    }
    start = next
    if (slice.isDue) await slice.yield()
  }
  return { names: [...directories, ...others], truncated: false }
}

/** Names that contain the text in any case. Reads all names in time slices. */
export async function findNames(
  index: Pick<FolderIndex, 'listNames'>,
  { text, limit }: { readonly text: string; readonly limit: number },
  slice: TimeSlice,
): Promise<{ readonly names: readonly string[]; readonly truncated: boolean }> {
  const wanted = text.normalize('NFC').toLowerCase()
  const searched = wanted.includes('/') ? (name: string) => name : baseOf
  const names: string[] = []
  for (let start: string | undefined = ''; start !== undefined;) {
    const { found, next }: Awaited<ReturnType<FolderIndex['listNames']>> = await index.listNames(start)
    for (const { name } of found) {
      if (!searched(name).toLowerCase().includes(wanted)) continue
      if (names.length === limit) return { names, truncated: true }
      names.push(name)
    }
    if (next !== undefined && slice.workedMs > SEARCH_MS_MAX) return { names, truncated: true }
    start = next
    if (slice.isDue) await slice.yield()
  }
  return { names, truncated: false }
}
