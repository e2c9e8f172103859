import type { AttributeChange, AttributeList } from '../core/attributes/attributes.ts'

/** What a look at the attributes of many items gave. */
export type AttributesRead =
  | {
      readonly kind: 'read'
      /** By name; an item that has none is not in there. */
      readonly found: ReadonlyMap<string, AttributeList>
      /** Items whose attributes nobody knows, with the reason. Those that have gone meanwhile have the reason `GONE`. */
      readonly failed: ReadonlyMap<string, string>
    }
  /** The machine has no means to read or set attributes. */
  | { readonly kind: 'no-means' }

export type AttributesWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly attribute: string; readonly reason: string }
  | { readonly kind: 'no-means' }

export const GONE = 'No such file or directory'
export const NOT_PERMITTED = 'Permission denied'

/** Extended attributes of files and directories. Symlinks are never followed. Trouble is data; only an abort rejects. */
export interface Attributes {
  /** Of items below `root`, by their names relative to it. */
  read(root: string, names: readonly string[], signal: AbortSignal): Promise<AttributesRead>
  /** What could not be done first is told; the rest may have been done or not. */
  write(path: string, change: AttributeChange): Promise<AttributesWritten>
}
