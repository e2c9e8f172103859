import type { AttributeRules } from '../core/records/change.ts'
import type { AttributeList } from '../core/attributes/attributes.ts'
import type { FileHead } from '../core/records/file-info.ts'
import type { WalkItem } from '../platform/walk.ts'

/** An item of the walk, with its attributes where they count and could be read. */
export type ScannedItem = WalkItem & { readonly attributes?: AttributeList }

/** Attributes of many items, after the folder's filter. */
interface AttributesSeen {
  /** By name; an item without any is not in there. */
  readonly found: ReadonlyMap<string, AttributeList>
  /** Items whose attributes are not known, with the reason where it is worth telling. */
  readonly failed: ReadonlyMap<string, string | undefined>
}

type OnProblem = (name: string, error: string) => void

/** For folders whose extended attributes are told to others. Not imported but handed in: few folders are. */
export interface ScanAttributes {
  readonly rules: AttributeRules
  /** The items with their attributes. */
  look(items: readonly WalkItem[], onProblem: OnProblem, signal: AbortSignal): Promise<readonly ScannedItem[]>
  /** The item with what its record names and the disk lacked. */
  complete(item: ScannedItem, record: FileHead, onProblem: OnProblem): Promise<ScannedItem>
}

/** How attributes of items are read and set. */
export interface AttributeMeans {
  /** Undefined where the machine cannot read any. */
  read(names: readonly string[], signal: AbortSignal): Promise<AttributesSeen | undefined>
  /** Puts on an item what others said before anybody here listened. Resolves with what it has then, or why it has not. */
  complete(record: FileHead, attributes: AttributeList): Promise<AttributeList | { readonly error: string }>
}

const NONE: AttributeList = []

/** Looks at the attributes of files and directories; those of anything else do not count. */
export async function lookedAt(
  items: readonly WalkItem[],
  means: AttributeMeans,
  onProblem: OnProblem,
  signal: AbortSignal,
): Promise<readonly ScannedItem[]> {
  const names = items.filter(({ type }) => type !== 'symlink').map(({ name }) => name)
  const seen = names.length === 0 ? undefined : await means.read(names, signal)
  if (seen === undefined) return items
  for (const [name, reason] of seen.failed) if (reason !== undefined) onProblem(name, reason)
  return items.map((item) => {
    const isKnown = item.type !== 'symlink' && !seen.failed.has(item.name)
    return isKnown ? { ...item, attributes: seen.found.get(item.name) ?? NONE } : item
  })
}

/** The item with what its record lacked on disk. An item for which that failed is not compared by its attributes. */
export async function completed(
  item: ScannedItem,
  record: FileHead,
  means: AttributeMeans,
  onProblem: OnProblem,
): Promise<ScannedItem> {
  const { attributes, ...rest } = item
  if (attributes === undefined || record.type !== item.type) return item
  const now = await means.complete(record, attributes)
  if ('error' in now) {
    onProblem(item.name, now.error)
    return rest
  }
  // Setting them changed the stamp, and nobody knows the new one.
  return now === attributes ? item : { ...rest, attributes: now, changeStamp: undefined }
}
