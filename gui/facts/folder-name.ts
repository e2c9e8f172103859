import type { FolderConfig } from '../../src/core/config/config.ts'

export function folderName({ id, label }: Pick<FolderConfig, 'id' | 'label'>): string {
  return label === '' ? id : label
}
