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
 * Compares only what follows the salt: of the last character of a salt two bits count, other programs leave the rest
 * as it falls, and bcryptjs writes zeros.
 */
export function verifyNow(password: string, hash: string): boolean {
  const wanted = hash.slice(SALT_END)
  const found = bcrypt(password, hash.slice(0, SALT_END)).slice(SALT_END)
  let difference = wanted.length ^ found.length
  for (let at = 0; at < wanted.length; at++) difference |= wanted.charCodeAt(at) ^ found.charCodeAt(at)
  return difference === 0
}

/** Half a surrogate pair is replaced, as by every encoder of UTF-8; bcryptjs would make bytes of its own of it. */
function bcrypt(password: string, salt: string): string {
  return hashSync(password.toWellFormed(), salt)
}
