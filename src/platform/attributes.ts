import type { AttributeChange, AttributeList } from '../core/attributes/attributes.ts'

/** Why attributes could not be read or set. */
export interface AttributeFailure {
  /** `gone`: the item was removed meanwhile. `unsupported`: by the file system of the item. */
  readonly code: 'gone' | 'not-permitted' | 'unsupported' | 'no-attribute' | 'other'
  /** For users. */
  readonly text: string
}

/** The result of reading the attributes of many items. */
export type AttributesRead =
  | {
      readonly kind: 'read'
      /** By name; items without attributes are left out. */
      readonly found: ReadonlyMap<string, AttributeList>
      /** Items whose attributes could not be read. */
      readonly failed: ReadonlyMap<string, AttributeFailure>
    }
  /** The machine cannot read or set attributes. */
  | { readonly kind: 'unsupported' }

export type AttributesWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly attribute: string; readonly failure: AttributeFailure }
  | { readonly kind: 'unsupported' }

/**
 * Extended attributes of files and directories. Symlinks are never followed. Errors are results; only an abort rejects.
 */
export interface Attributes {
  /** Of items below `root`, by their names relative to it. */
  read(root: string, names: readonly string[], signal: AbortSignal): Promise<AttributesRead>
  /** Reports the first failure; the other changes may be applied or not. */
  write(path: string, change: AttributeChange): Promise<AttributesWritten>
}
