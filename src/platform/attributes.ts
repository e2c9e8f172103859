import type { AttributeChange, AttributeList } from '../core/attributes/attributes.ts'

/** The result of reading the attributes of many items. */
export type AttributesRead =
  | {
      readonly kind: 'read'
      /** By name; items without attributes are left out. */
      readonly found: ReadonlyMap<string, AttributeList>
      /** Items whose attributes could not be read, with the reason: `GONE` for those removed meanwhile. */
      readonly failed: ReadonlyMap<string, string>
    }
  /** The machine cannot read or set attributes. */
  | { readonly kind: 'unsupported' }

export type AttributesWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly attribute: string; readonly reason: string }
  | { readonly kind: 'unsupported' }

export const GONE = 'No such file or directory'
export const NOT_PERMITTED = 'Permission denied'

/**
 * Extended attributes of files and directories. Symlinks are never followed. Errors are results; only an abort rejects.
 */
export interface Attributes {
  /** Of items below `root`, by their names relative to it. */
  read(root: string, names: readonly string[], signal: AbortSignal): Promise<AttributesRead>
  /** Reports the first failure; the other changes may be applied or not. */
  write(path: string, change: AttributeChange): Promise<AttributesWritten>
}
