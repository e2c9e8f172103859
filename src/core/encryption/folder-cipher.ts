import { AesSiv } from './aes-siv.ts'
import { deriveFileKey, tokenPlaintext } from './keys.ts'
import { decryptName, encryptName } from './names.ts'
import { openBytes, sealBytes, type Seal } from './xchacha.ts'

/** File keys in memory, for files in transfer. To derive one takes less time than to collect many. */
const FILES_MAX = 128
const OFFSET_BYTES = 8
const NO_PADDING = new Uint8Array(0)

/** Encrypts and decrypts for one folder with one password. */
export class FolderCipher {
  /** Shows other devices that the password is the same. */
  readonly passwordToken: Uint8Array
  readonly #key: Uint8Array
  readonly #names: AesSiv
  readonly #files = new Map<string, FileCipher>()

  constructor(folderKey: Uint8Array, folder: string) {
    this.#key = folderKey
    this.#names = new AesSiv(folderKey)
    this.passwordToken = this.#names.seal(tokenPlaintext(folder))
  }

  encryptName(name: string): string {
    return encryptName(this.#names, name)
  }

  /** Undefined for a path that was not encrypted with this password. */
  decryptName(path: string): string | undefined {
    return decryptName(this.#names, path)
  }

  /** For one file, directory or symlink by its plain name. */
  file(name: string): FileCipher {
    const known = this.#files.get(name)
    if (known !== undefined) return known
    const made = new FileCipher(deriveFileKey(this.#key, name))
    this.#files.set(name, made)
    const oldest = this.#files.size > FILES_MAX ? this.#files.keys().next().value : undefined
    if (oldest !== undefined) this.#files.delete(oldest)
    return made
  }
}

/** Encrypts and decrypts record and blocks of one item. */
export class FileCipher {
  readonly #key: Uint8Array
  #hashes: AesSiv | undefined

  constructor(key: Uint8Array) {
    this.#key = key
  }

  seal(plain: Uint8Array, nonce: Uint8Array): Buffer {
    return sealBytes(this.sealWith(nonce, NO_PADDING), plain)
  }

  sealWith(nonce: Uint8Array, padding: Uint8Array): Seal {
    return { key: this.#key, nonce, padding }
  }

  /** Undefined for data that was not sealed for this item with this password. */
  open(sealed: Uint8Array): Buffer | undefined {
    return openBytes(this.#key, sealed)
  }

  /** What stands for the hash of a block. Equal blocks at different offsets have different tokens. */
  blockToken(hash: Uint8Array, plainOffsetBytes: number): Buffer {
    return this.#tokens().seal(hash, offsetComponent(plainOffsetBytes))
  }

  /** The hash of a token; older releases did not authenticate the offset. */
  hashOfToken(token: Uint8Array, plainOffsetBytes: number): Buffer | undefined {
    return this.#tokens().open(token, offsetComponent(plainOffsetBytes)) ?? this.#tokens().open(token)
  }

  #tokens(): AesSiv {
    this.#hashes ??= new AesSiv(this.#key)
    return this.#hashes
  }
}

function offsetComponent(offsetBytes: number): Buffer {
  const component = Buffer.alloc(OFFSET_BYTES)
  component.writeBigUInt64BE(BigInt(offsetBytes))
  return component
}
