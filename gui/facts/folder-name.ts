import type { FolderConfig } from '../../src/core/config/config.ts'
import { visibleName } from '../words/visible-name.ts'

export function folderName({ id, label }: Pick<FolderConfig, 'id' | 'label'>): string {
  return visibleName(label === '' ? id : label)
}
