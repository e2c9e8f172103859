import { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { RecentMap } from '../../core/encryption/recent-map.ts'
import type { FolderId } from '../../core/ids.ts'
import type { FolderKeys } from '../../platform/folder-keys.ts'

/** More than passwords in use: only changed ones are evicted. */
const CIPHERS_MAX = 1_000

/** The ciphers of folders by password. A key is derived once. */
export class FolderCiphers {
  readonly #keys: FolderKeys
  readonly #ciphers = new RecentMap<string, Promise<FolderCipher>>(CIPHERS_MAX)

  constructor(keys: FolderKeys) {
    this.#keys = keys
  }

  get(folder: FolderId, password: string): Promise<FolderCipher> {
    const id = JSON.stringify([folder, password])
    const known = this.#ciphers.get(id)
    if (known !== undefined) return known
    const made = this.#keys.derive(password, folder).then((key) => new FolderCipher(key, folder))
    this.#ciphers.set(id, made)
    made.catch(() => this.#ciphers.delete(id)) // the next call tries again
    return made
  }
}
