import { scrypt } from 'node:crypto'
import { FOLDER_KEY_SCRYPT, folderKeySalt, KEY_BYTES } from '../../core/encryption/keys.ts'
import type { FolderKeys } from '../folder-keys.ts'

/** scrypt in a thread of the runtime, never on the main thread. */
export const nodeFolderKeys: FolderKeys = {
  derive: (password, folder) =>
    new Promise((resolve, reject) => {
      scrypt(password, folderKeySalt(folder), KEY_BYTES, FOLDER_KEY_SCRYPT, (error, key) => {
        if (error === null) resolve(key)
        else reject(error)
      })
    }),
}
