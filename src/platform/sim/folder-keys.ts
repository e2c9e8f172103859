import { hash } from 'node:crypto'
import { folderKeySalt } from '../../core/encryption/keys.ts'
import type { FolderKeys } from '../folder-keys.ts'

/** A plain hash: what counts in a simulation is that other passwords and folders have other keys. */
export const simFolderKeys: FolderKeys = {
  derive: async (password, folder) => hash('sha256', JSON.stringify([password, folderKeySalt(folder)]), 'buffer'),
}
