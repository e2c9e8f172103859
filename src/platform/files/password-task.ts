import { encodeBase64, hashSync } from 'bcryptjs'
import { SALT_BYTES } from '../passwords.ts'

const COST = 10
/** Version, cost and salt stand before the hash proper. */
const SALT_END = 29

/** Blocks its thread for a tenth of a second. */
export function hashNow(password: string, salt: Uint8Array): string {
  return bcrypt(password, `$2a$${COST}$${encodeBase64(salt, SALT_BYTES)}`)
}

/**
 * Compares only what follows the salt: of the last character of a salt two bits count, other programs set the rest
 * arbitrarily, and bcryptjs writes zeros.
 */
export function verifyNow(password: string, hash: string): boolean {
  const expected = hash.slice(SALT_END)
  const found = bcrypt(password, hash.slice(0, SALT_END)).slice(SALT_END)
  let difference = expected.length ^ found.length
  for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ found.charCodeAt(at)
  return difference === 0
}

/** Replaces lone surrogates, as every UTF-8 encoder does; bcryptjs would encode them differently. */
function bcrypt(password: string, salt: string): string {
  return hashSync(password.toWellFormed(), salt)
}
