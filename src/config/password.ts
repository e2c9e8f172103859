import { TwinfoldError } from '../core/errors.ts'

const COST = 10
/** bcrypt looks at no more: a longer password would be weaker than its owner thinks. */
const PASSWORD_BYTES_MAX = 72
const HASHED = /^\$2[aby]\$\d+\$.{50,}/

/** A bcrypt hash and the empty password pass as they are, anything else is hashed. Plain text is never stored. */
export async function hashPasswordIfPlain(password: string): Promise<string> {
  if (password === '' || HASHED.test(password)) return password
  if (new TextEncoder().encode(password).length > PASSWORD_BYTES_MAX) {
    throw new TwinfoldError('config-invalid', `the password is longer than ${PASSWORD_BYTES_MAX} bytes`)
  }
  const { hash, genSalt } = await import('bcryptjs') // most starts never need it
  return hash(password, (await genSalt(COST)).replace('$2b$', '$2a$'))
}

/** False for a wrong password, and for a stored value that is no hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (!HASHED.test(hash)) return false
  const { compare } = await import('bcryptjs')
  return compare(password, hash).catch(() => false) // looks like a hash, and is none
}
