/** Bytes of salt in a bcrypt hash. */
export const SALT_BYTES = 16

/**
 * bcrypt, which takes a tenth of a second of CPU by design. Concurrent work is bounded. Failures reject with a
 * `TwinfoldError` of the code `password-unavailable`; no error contains a password or a hash.
 */
export interface PasswordHasher {
  /** A hash as Syncthing writes it: `$2a$`, cost 10. The salt is of `SALT_BYTES` and never used twice. */
  hash(password: string, salt: Uint8Array): Promise<string>
  /** Whether the password matches a valid hash: `$2a$`, `$2b$` or `$2y$`. */
  verify(password: string, hash: string): Promise<boolean>
}
