import { createHmac, createSecretKey } from 'node:crypto'

const CONTEXT = 'syncthing'
const SALT = createSecretKey(CONTEXT, 'utf8')
const FIRST = Buffer.of(1)
export const KEY_BYTES = 32
/** What AES-SIV adds. */
const SYNTHETIC_IV_BYTES = 16

/** How a folder key follows from the password: scrypt, which takes 32 MiB and a tenth of a second by design. */
export const FOLDER_KEY_SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1_024 * 1_024 } as const

export function folderKeySalt(folder: string): string {
  return CONTEXT + folder
}

/** The plaintext of the password token, which shows that two devices have the same password and nothing else. */
export function tokenPlaintext(folder: string): Buffer {
  return Buffer.from(CONTEXT + folder)
}

/** Bytes of the password token of a folder: every other length is no token. */
export function tokenLength(folder: string): number {
  return SYNTHETIC_IV_BYTES + Buffer.byteLength(CONTEXT + folder)
}

/** HKDF-SHA-256 over the folder key and the name: equal content of two files looks different. */
export function deriveFileKey(folderKey: Uint8Array, name: string): Buffer {
  const extracted = createHmac('sha256', SALT).update(folderKey).update(name, 'utf8').digest()
  return createHmac('sha256', createSecretKey(extracted)).update(FIRST).digest()
}
