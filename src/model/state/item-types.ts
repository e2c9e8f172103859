import type { FileHead } from '../../core/records/file-info.ts'
import type { ItemType } from '../../events/types.ts'

/** The names of item types in events. */
export const ITEM_TYPES: Readonly<Record<FileHead['type'], ItemType>> = {
  file: 'file',
  directory: 'dir',
  symlink: 'symlink',
}
