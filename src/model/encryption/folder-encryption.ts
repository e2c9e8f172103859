import { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { RecentMap } from '../../core/encryption/recent-map.ts'
import type { Config } from '../../core/config/config.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { Disk } from '../../platform/disk.ts'
import type { FolderKeys } from '../../platform/folder-keys.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderRoots } from '../state/folder-roots.ts'
import { isTokenUnusable } from '../state/exchange-failure.ts'
import { readToken, writeToken } from './stored-token.ts'

/** More than passwords in use: only changed ones are evicted. */
const CIPHERS_MAX = 1_000

/** What is announced about encryption to one device, and compared with what it announces. */
export interface FolderTokens {
  /** Of folders that are encrypted for the device. */
  readonly ciphers: ReadonlyMap<FolderId, FolderCipher>
  /** Of folders whose data here is encrypted: the token of that data. None before the first contact. */
  readonly stored: ReadonlyMap<FolderId, Uint8Array>
  /** Of these folders it cannot be read: they are not exchanged. */
  readonly unreadable: ReadonlySet<FolderId>
}

export interface FolderEncryptionDeps {
  readonly disk: Disk
  readonly folderKeys: FolderKeys
  readonly roots: Pick<FolderRoots, 'get'>
  readonly signals: Pick<ModelSignals, 'exchangeFailed'>
}

/** The ciphers of folders by password. A key is derived once. */
class FolderCiphers {
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

/** The passwords of the configuration as ciphers, and the tokens of folders that are stored encrypted. */
export class FolderEncryption {
  readonly #deps: FolderEncryptionDeps
  readonly #ciphers: FolderCiphers
  /** The last one read, for a folder that does not run at the moment. */
  readonly #stored = new Map<FolderId, Uint8Array>()
  #config: Config
  /** Passwords by device and folder. Looked up for every block. */
  #passwords: ReadonlyMap<DeviceId, ReadonlyMap<string, readonly [FolderId, string]>>

  constructor(deps: FolderEncryptionDeps, config: Config) {
    this.#deps = deps
    this.#ciphers = new FolderCiphers(deps.folderKeys)
    this.#config = config
    this.#passwords = passwordsOf(config)
  }

  setConfig(config: Config): void {
    if (config === this.#config) return
    this.#config = config
    this.#passwords = passwordsOf(config)
  }

  /** Undefined for a folder that the device gets unencrypted, or not at all. */
  cipherFor(device: DeviceId, folder: string): Promise<FolderCipher> | undefined {
    const found = this.#passwords.get(device)?.get(folder)
    return found === undefined ? undefined : this.#ciphers.get(...found) // at most two
  }

  /** An unreadable token is reported to its folder, which stops. */
  async tokensFor(device: DeviceId): Promise<FolderTokens> {
    const ciphers = new Map<FolderId, FolderCipher>()
    for (const [folder, password] of this.#passwords.get(device)?.values() ?? []) {
      ciphers.set(folder, await this.#ciphers.get(folder, password))
    }
    const stored = new Map<FolderId, Uint8Array>()
    const unreadable = new Set<FolderId>()
    for (const { id, type, devices, markerName } of this.#config.folders) {
      if (type !== 'receiveencrypted' || !devices.some(({ deviceID }) => deviceID === device)) continue
      const token = await this.#read(id, markerName).catch((error: unknown) => {
        this.#failed(id, error)
        unreadable.add(id)
        return this.#stored.get(id)
      })
      if (token !== undefined) stored.set(id, token)
    }
    return { ciphers, stored, unreadable }
  }

  /**
   * First contact of a folder: its data will be encrypted with the password of this token. False where it could not be
   * stored, which is reported to the folder.
   */
  async store(folder: FolderId, token: Uint8Array): Promise<boolean> {
    const root = this.#deps.roots.get(folder)
    const markerName = this.#config.folders.find(({ id }) => id === folder)?.markerName
    if (root === undefined || markerName === undefined) return false
    try {
      await writeToken(this.#deps.disk, { root, markerName, folder }, token)
    } catch (error) {
      this.#failed(folder, error)
      return false
    }
    this.#stored.set(folder, token)
    return true
  }

  #failed(folder: FolderId, error: unknown): void {
    if (!isTokenUnusable(error)) throw error
    this.#deps.signals.exchangeFailed.emit({ folder, error })
  }

  async #read(folder: FolderId, markerName: string): Promise<Uint8Array | undefined> {
    const root = this.#deps.roots.get(folder)
    if (root === undefined) return this.#stored.get(folder)
    const token = await readToken(this.#deps.disk, { root, markerName, folder })
    if (token === undefined) this.#stored.delete(folder)
    else this.#stored.set(folder, token)
    return token
  }
}

function passwordsOf({ folders }: Config): ReadonlyMap<DeviceId, ReadonlyMap<string, readonly [FolderId, string]>> {
  const passwords = new Map<DeviceId, Map<string, readonly [FolderId, string]>>()
  for (const { id, devices } of folders) {
    for (const { deviceID, encryptionPassword } of devices) {
      if (encryptionPassword === '') continue
      const ofDevice = passwords.get(deviceID) ?? new Map<string, readonly [FolderId, string]>()
      passwords.set(deviceID, ofDevice.set(id, [id, encryptionPassword]))
    }
  }
  return passwords
}
