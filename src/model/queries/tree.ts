import type { DeviceId } from '../../core/ids.ts'
import type { FolderIndex, FolderTotals, Listing } from '../../db/types.ts'
import type { NameQuery, TreeOrder, TreePage } from './explorer-types.ts'
import { itemsOf } from './item-view.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'

/** Names of one directory that are read. */
const LEVEL_NAMES_MAX = 100_000
/** A smaller directory is listed again for every page, which is cheap and needs no cache. */
const KEPT_FROM = 1_000
/** Records read per step, for their sizes and times. */
const RECORDS_AT_ONCE = 500

interface Level {
  /** Directories first. */
  readonly names: readonly string[]
  readonly truncated: boolean
}

/** A directory in some order. */
interface Wanted {
  readonly directory: string
  readonly order: TreeOrder
}

export const BY_NAME: TreeOrder = { by: 'name', descending: false }

/** The latest large directory that was listed; valid while its folder is unchanged. */
interface KeptLevel extends Level, Wanted {
  readonly index: FolderIndex
  readonly totals: FolderTotals
}

/** Lists directories. */
export class Trees {
  #kept: KeptLevel | undefined

  /** The names in one directory. */
  async names(index: FolderIndex, wanted: Wanted, slice: TimeSlice): Promise<readonly string[]> {
    return (await this.#level(index, wanted, slice)).names
  }

  async page(
    index: FolderIndex,
    wanted: Wanted,
    others: readonly DeviceId[],
    { page, perPage }: Paging,
    slice: TimeSlice,
  ): Promise<Omit<TreePage, 'ignored'>> {
    const { names, truncated } = await this.#level(index, wanted, slice)
    const items = await itemsOf(index.listing, names.slice((page - 1) * perPage, page * perPage), others)
    const directories = items
      .filter(({ records }) => records.global.type === 'directory')
      .map(({ records }) => records.name)
    const filled = await index.listing.nonEmpty(directories)
    const withChildren = items.map((item) => {
      return item.records.global.type === 'directory' ? { ...item, children: filled.has(item.records.name) } : item
    })
    return { total: names.length, truncated, items: withChildren }
  }

  async #level(index: FolderIndex, wanted: Wanted, slice: TimeSlice): Promise<Level> {
    const kept = this.#kept
    const { totals } = index.needs
    if (kept !== undefined && kept.index === index && kept.totals === totals && isSame(kept, wanted)) return kept
    const level = await listLevel(index.listing, wanted, slice)
    const settled = totals !== undefined && totals === index.needs.totals
    this.#kept = settled && level.names.length >= KEPT_FROM ? { ...level, ...wanted, index, totals } : undefined
    return level
  }
}

function isSame(one: Wanted, { directory, order }: Wanted): boolean {
  return one.directory === directory && one.order.by === order.by && one.order.descending === order.descending
}

async function listLevel(listing: Listing, { directory, order }: Wanted, slice: TimeSlice): Promise<Level> {
  const { directories, others, truncated } = await readLevel(listing, directory, slice)
  const sorted = [await sortNames(listing, directories, order, slice), await sortNames(listing, others, order, slice)]
  return { names: sorted.flat(), truncated }
}

/** The names in order. By anything but the name, their records are read. */
async function sortNames(
  listing: Pick<Listing, 'recordsOf'>,
  names: readonly string[],
  { by, descending }: TreeOrder,
  slice: TimeSlice,
): Promise<readonly string[]> {
  if (by === 'name') return descending ? names.toReversed() : names
  const keys: { readonly name: string; readonly key: number }[] = []
  for (let first = 0; first < names.length; first += RECORDS_AT_ONCE) {
    for (const { name, global } of await listing.recordsOf(names.slice(first, first + RECORDS_AT_ONCE))) {
      const key = by === 'size' ? global.sizeBytes : global.modifiedS + global.modifiedNs / 1e9
      keys.push({ name, key })
    }
    if (slice.isDue) await slice.yield()
  }
  const sign = descending ? -1 : 1
  return keys.sort((one, other) => sign * (one.key - other.key)).map(({ name }) => name) // by name on ties
}

interface ReadLevel {
  readonly directories: readonly string[]
  readonly others: readonly string[]
  readonly truncated: boolean
}

async function readLevel(listing: Listing, directory: string, slice: TimeSlice): Promise<ReadLevel> {
  const directories: string[] = []
  const others: string[] = []
  for (let start: string | undefined = ''; start !== undefined;) {
    const { found, next }: Awaited<ReturnType<Listing['listLevel']>> = await listing.listLevel(directory, start)
    for (const { name, type } of found) (type === 'directory' ? directories : others).push(name)
    if (next !== undefined && directories.length + others.length >= LEVEL_NAMES_MAX) {
      return { directories, others, truncated: true }
    }
    start = next
    if (slice.isDue) await slice.yield()
  }
  return { directories, others, truncated: false }
}

interface FoundNames {
  readonly names: readonly string[]
  /** The name behind which a next search goes on; undefined: all names were searched. */
  readonly next: string | undefined
  readonly searched: number
}

/** Names that contain the text in any case. All names are read, in time slices. */
export async function findNames(
  listing: Pick<Listing, 'search'>,
  { text, limit, after, workMs }: NameQuery,
  slice: TimeSlice,
): Promise<FoundNames> {
  const search = listing.search(text, after)
  const names: string[] = []
  for (;;) {
    const { found, searchedTo } = await search.step(limit - names.length)
    for (const name of found) names.push(name)
    if (searchedTo === undefined || names.length === limit || slice.workedMs >= workMs)
      return { names, next: searchedTo, searched: search.searched }
    if (slice.isDue) await slice.yield()
  }
}
