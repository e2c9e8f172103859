import type { AttributeRules } from '../core/records/change.ts'
import type { AttributeList } from '../core/attributes/attributes.ts'
import type { FileHead } from '../core/records/file-info.ts'
import type { WalkItem } from '../platform/walk.ts'

/** An item of the walk, with its attributes where they are synchronized and could be read. */
export type ScannedItem = WalkItem & { readonly attributes?: AttributeList }

/** Attributes of many items, after the folder's filter. */
interface AttributesSeen {
  /** By name; items without attributes are omitted. */
  readonly found: ReadonlyMap<string, AttributeList>
  /** Items whose attributes could not be read, with the reason where it should be reported. */
  readonly failed: ReadonlyMap<string, string | undefined>
}

type OnProblem = (name: string, error: string) => void

/** For folders that announce extended attributes. Injected, not imported, because few folders do. */
export interface ScanAttributes {
  readonly rules: AttributeRules
  /** The items with their attributes. */
  read(items: readonly WalkItem[], onProblem: OnProblem, signal: AbortSignal): Promise<readonly ScannedItem[]>
  /** The item with the attributes that its record has and the disk lacked. */
  complete(item: ScannedItem, record: FileHead, onProblem: OnProblem): Promise<ScannedItem>
}

/** Reads and sets attributes of items. */
export interface AttributeAccess {
  /** Undefined where the platform cannot read attributes. */
  read(names: readonly string[], signal: AbortSignal): Promise<AttributesSeen | undefined>
  /**
   * Sets attributes that were received before the folder synchronized them. Resolves with the resulting list or an
   * error.
   */
  complete(record: FileHead, attributes: AttributeList): Promise<AttributeList | { readonly error: string }>
}

const NONE: AttributeList = []

/** Reads the attributes of files and directories; other items have none. */
export async function withAttributes(
  items: readonly WalkItem[],
  access: AttributeAccess,
  onProblem: OnProblem,
  signal: AbortSignal,
): Promise<readonly ScannedItem[]> {
  const names = items.filter(({ type }) => type !== 'symlink').map(({ name }) => name)
  const seen = names.length === 0 ? undefined : await access.read(names, signal)
  if (seen === undefined) return items
  for (const [name, reason] of seen.failed) if (reason !== undefined) onProblem(name, reason)
  return items.map((item) => {
    const isKnown = item.type !== 'symlink' && !seen.failed.has(item.name)
    return isKnown ? { ...item, attributes: seen.found.get(item.name) ?? NONE } : item
  })
}

/**
 * The item with the attributes that were missing on disk. An item for which that failed is compared without attributes.
 */
export async function completeAttributes(
  item: ScannedItem,
  record: FileHead,
  access: AttributeAccess,
  onProblem: OnProblem,
): Promise<ScannedItem> {
  const { attributes, ...rest } = item
  if (attributes === undefined || record.type !== item.type) return item
  const now = await access.complete(record, attributes)
  if ('error' in now) {
    onProblem(item.name, now.error)
    return rest
  }
  // Setting attributes changes the stamp, and the new one is not known.
  return now === attributes ? item : { ...rest, attributes: now, changeStamp: undefined }
}
