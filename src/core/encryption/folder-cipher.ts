import { timingSafeEqual } from 'node:crypto'
import { AesSiv } from './aes-siv.ts'
import { deriveFileKey, tokenPlaintext } from './keys.ts'
import { decryptName, encryptName } from './names.ts'
import { RecentMap } from './recent-map.ts'
import { openBytes, sealBytes, type Seal } from './xchacha.ts'

/** Items that were announced and are not confirmed yet: the device requests them soon. About a kilobyte each. */
const ITEMS_MAX = 16_384
/** Ciphers for block hashes: native objects, of which many take longer to collect than to make. */
const HASH_CIPHERS_MAX = 128
const OFFSET_BYTES = 8
const NO_PADDING = new Uint8Array(0)

/** Encrypts and decrypts for one folder with one password. */
export class FolderCipher {
  /** Shows other devices that the password is the same. */
  readonly passwordToken: Uint8Array
  readonly #key: Uint8Array
  readonly #names: AesSiv
  readonly #files = new RecentMap<string, FileCipher>(ITEMS_MAX)
  /** Plain names by their encrypted paths. */
  readonly #plainNames = new RecentMap<string, string>(ITEMS_MAX)
  readonly #hashCiphers = new RecentMap<FileCipher, AesSiv>(HASH_CIPHERS_MAX)

  constructor(folderKey: Uint8Array, folder: string) {
    this.#key = folderKey
    this.#names = new AesSiv(folderKey)
    this.passwordToken = this.#names.seal(tokenPlaintext(folder))
  }

  encryptName(name: string): string {
    const path = encryptName(this.#names, name)
    this.#plainNames.set(path, name)
    return path
  }

  /** Undefined for a path that was not encrypted with this password. */
  decryptName(path: string): string | undefined {
    return this.#plainNames.get(path) ?? decryptName(this.#names, path)
  }

  /** Frees what is kept of an item that was announced, until it is announced or requested again. */
  forget(path: string, name: string): void {
    this.#plainNames.delete(path)
    this.#files.delete(name)
  }

  /** For one file, directory or symlink by its plain name. */
  file(name: string): FileCipher {
    const known = this.#files.get(name)
    if (known !== undefined) return known
    const made = new FileCipher(deriveFileKey(this.#key, name), this.#hashCiphers)
    this.#files.set(name, made)
    return made
  }
}

/** Encrypts and decrypts record and blocks of one item. */
export class FileCipher {
  readonly #key: Uint8Array
  readonly #hashCiphers: RecentMap<FileCipher, AesSiv>
  /** What was sealed last: an untrusted device returns it unchanged in its index. */
  #last: { readonly plain: Uint8Array; readonly sealed: Uint8Array } | undefined
  /** The token of the first block, the only one of a small file. */
  #first: { readonly hash: Buffer; readonly token: Uint8Array } | undefined

  constructor(key: Uint8Array, hashCiphers: RecentMap<FileCipher, AesSiv>) {
    this.#key = key
    this.#hashCiphers = hashCiphers
  }

  seal(plain: Uint8Array, nonce: Uint8Array): Buffer {
    const sealed = sealBytes(this.sealWith(nonce, NO_PADDING), plain)
    this.#last = { plain, sealed }
    return sealed
  }

  sealWith(nonce: Uint8Array, padding: Uint8Array): Seal {
    return { key: this.#key, nonce, padding }
  }

  /** Undefined for data that was not sealed for this item with this password. */
  open(sealed: Uint8Array): Uint8Array | undefined {
    return this.#last !== undefined && isEqual(this.#last.sealed, sealed)
      ? this.#last.plain
      : openBytes(this.#key, sealed)
  }

  /** What stands for the hash of a block. Equal blocks at different offsets have different tokens. */
  blockToken(hash: Uint8Array, plainOffsetBytes: number): Buffer {
    const token = this.#tokens().seal(hash, offsetComponent(plainOffsetBytes))
    if (plainOffsetBytes === 0) this.#first = { hash: Buffer.from(hash), token }
    return token
  }

  /** The hash of a token; older releases did not authenticate the offset. */
  hashOfToken(token: Uint8Array, plainOffsetBytes: number): Buffer | undefined {
    if (plainOffsetBytes === 0 && this.#first !== undefined && isEqual(this.#first.token, token))
      return this.#first.hash
    return this.#tokens().open(token, offsetComponent(plainOffsetBytes)) ?? this.#tokens().open(token)
  }

  #tokens(): AesSiv {
    const known = this.#hashCiphers.get(this)
    if (known !== undefined) return known
    const made = new AesSiv(this.#key)
    this.#hashCiphers.set(this, made)
    return made
  }
}

/** In constant time for an equal length. */
function isEqual(ours: Uint8Array, theirs: Uint8Array): boolean {
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}

function offsetComponent(offsetBytes: number): Buffer {
  const component = Buffer.alloc(OFFSET_BYTES)
  component.writeBigUInt64BE(BigInt(offsetBytes))
  return component
}
