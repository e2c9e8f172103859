/**
 * Derives the key of an encrypted folder from its password: scrypt, which takes a tenth of a second of CPU and 32 MiB
 * by design. No error contains a password.
 */
export interface FolderKeys {
  derive(password: string, folder: string): Promise<Uint8Array>
}
